// Input. Owns: texts that a user gives as words, as a file or on stdin, with a bound on their size.

import { readFileSync } from "node:fs";
import { AppError, systemCode } from "../domain/error.ts";

const largestInput = 16 * 1024 * 1024;

/** `-` alone means stdin. */
export async function readInput(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === "-" ? await readStdin() : words.join(" ");
}

/** The head and the end when there is more than anybody could mean. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestInput)
      throw new AppError("USAGE", "stdin has more than 16 MiB", {
        hint: "report the essence and leave the rest in a file",
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const why = systemCode(error) ?? "unreadable";
    throw new AppError("NOT_FOUND", `${file} cannot be read (${why})`, {
      hint: "check the path and its permissions",
      cause: error,
    });
  }
}
