// Stdio. Owns: MCP over two pipes, one message per line. Only messages are written.

import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { McpServer } from "./mcp-server.ts";

const longestLine = 4 * 1024 * 1024;

/** Returns when the input has ended and every message is answered. */
export async function serveStdio(server: McpServer, input: Readable, output: Writable): Promise<void> {
  const open = new Set<Promise<void>>();
  let isGone = false;
  let written: Promise<unknown> = Promise.resolve();
  // The client is gone: there is nothing to answer, and no error to report.
  output.on("error", () => {
    isGone = true;
  });
  const answer = async (line: string) => {
    const { answer } = await server.answer(line);
    if (answer === null || isGone) return;
    written = written.then(() => write(output, `${JSON.stringify(answer)}\n`));
    await written;
  };
  for await (const line of linesOf(input)) {
    if (isGone) break;
    const answering: Promise<void> = answer(line).finally(() => open.delete(answering));
    open.add(answering);
    // The first message sets the version of the next ones, so only calls of tools may overlap.
    if (!line.includes('"tools/call"')) await answering;
  }
  await Promise.all(open);
}

/** One answer at a time: a client that reads slowly delays the queue once, not once for each answer. */
async function write(output: Writable, text: string): Promise<void> {
  if (!output.destroyed && !output.write(text)) await Promise.race([once(output, "drain"), once(output, "close")]);
}

/** A line that is too long is cut; it is then invalid JSON and answered as such. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input as AsyncIterable<Buffer | string>) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = (lines.pop() ?? "").slice(0, longestLine);
    for (const line of lines) if (line.trim() !== "") yield line.slice(0, longestLine);
  }
  if (rest.trim() !== "") yield rest;
}
