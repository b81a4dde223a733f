// Input. Owns: texts that a user gives as words or on stdin, with a limit on their size.

import { AppError } from "../../domain/error.ts";

const largestInput = 16 * 1024 * 1024;

/** `-` alone means stdin. */
export async function readInput(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === "-" ? await readStdin() : words.join(" ");
}

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestInput)
      throw new AppError("USAGE", "stdin has more than 16 MiB", {
        hint: "give a summary and leave the rest in a file",
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
