// Executors that are written out instead of named: `command: PROGRAM ARGUMENT…`.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../domain/error.ts";
import { shellWord, splitWords } from "../system/process/words.ts";
import type { CommandLine } from "./sandbox/sandbox.ts";

/** The words of an inline command, split as a shell splits them; nothing is expanded. Null: the name is not an inline command. */
export function inlineCommand(name: string): CommandLine | null {
  const inline = /^command:\s*([^]*)$/.exec(name);
  return inline && wordsOf(inline[1] ?? "");
}

/** Agents work in a tree of their own, where a path relative to `from` means nothing: words that name a file are made absolute. */
export function absoluteExecutor(name: string, from: string): string {
  const words = inlineCommand(name)?.map((word) => {
    const path = resolve(from, word);
    return /^\.\.?\//.test(word) && existsSync(path) ? path : word;
  });
  return words ? `command: ${words.map(shellWord).join(" ")}` : name;
}

function wordsOf(text: string): CommandLine {
  const split = splitWords(text);
  const hint = "write it as --executor 'command: PROGRAM ARGUMENT…'";
  if (!split.ok)
    throw new AppError("USAGE", `the executor's command cannot be split into words: ${split.message}`, { hint });
  const [program, ...rest] = split.words;
  if (program === undefined) throw new AppError("USAGE", "the executor's command is empty", { hint });
  return [program, ...rest];
}
