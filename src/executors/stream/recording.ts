// Reads a file with the recorded output of an agent, of any size.

import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { devNull } from "node:os";
import { AppError, systemCode } from "../../domain/error.ts";
import { agentStream } from "./agent-stream.ts";
import type { NewReader } from "./reader.ts";
import type { ProcessExit, StreamReading } from "./stream-reading.ts";

const chunkBytes = 256 * 1024;

export async function readRecording(file: string, newReader: NewReader, exit: ProcessExit): Promise<StreamReading> {
  try {
    if (isNamedPipe(file)) throw unreadable(file, "it is a pipe");
    const handle = await open(file, "r");
    try {
      return await readFrom(handle, file, newReader, exit);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = systemCode(error) ?? "unreadable";
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new AppError("NOT_FOUND", `there is no file ${file}`, { hint: "check the path", cause: error });
    throw unreadable(file, code, error);
  }
}

/** Opening one waits for a writer, perhaps for ever. A pipe of the shell, `<(…)`, has a writer. */
function isNamedPipe(file: string): boolean {
  const isOfShell = /^\/(?:dev\/fd|proc\/\w+\/fd)\/\d+$|^\/dev\/stdin$/.test(file);
  return !isOfShell && statSync(file, { throwIfNoEntry: false })?.isFIFO() === true;
}

async function readFrom(
  handle: FileHandle,
  file: string,
  newReader: NewReader,
  exit: ProcessExit,
): Promise<StreamReading> {
  const stats = await handle.stat();
  // A device may have no end; a pipe of the shell, `<(…)`, has one.
  if (!stats.isFile() && !stats.isFIFO() && file !== devNull)
    throw unreadable(file, stats.isDirectory() ? "it is a directory" : "it is no file");
  // "In 20 seconds" counts from when it was printed, not from when it is read.
  const recordedAt = stats.isFile() ? stats.mtimeMs : Date.now();
  const stream = agentStream(
    newReader(() => recordedAt),
    () => undefined,
  );
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, null);
    if (bytesRead === 0) return stream.end(exit);
    stream.write(chunk.subarray(0, bytesRead));
  }
}

function unreadable(file: string, why: string, cause?: unknown): AppError {
  return new AppError("INPUT_INVALID", `${file} cannot be read: ${why}`, {
    hint: "give a file with what the agent printed on stdout",
    cause,
  });
}
