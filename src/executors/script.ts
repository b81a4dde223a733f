// Reads scripts of the scripted agent: YAML in which a test, the demo or a simulation says what an agent would do.

import { parse } from "yaml";
import { z } from "zod";
import { AppError, errorText } from "../domain/error.ts";
import { guide } from "../system/package-root.ts";

const text = z.string();

/** One performance: it waits, writes, appends, runs, commits, prints and exits, in this order. */
const act = z.strictObject({
  story: text.optional().describe("only for this story"),
  part: text.optional().describe("only for this part of the step"),
  attempt: z.int().min(1).optional().describe("only for this attempt of the step, or of its part"),
  delay: z.number().min(0).optional().describe("milliseconds before anything else"),
  write: z.record(text, text).optional().describe("files to write, by path in the workspace"),
  append: z.record(text, text).optional().describe("text to add to files; a path may begin with {{progress_file}}"),
  run: z.array(text).optional().describe("shell commands"),
  commit: text.optional().describe("commit everything, with this message"),
  amend: z.boolean().optional().describe("fold everything into the last commit"),
  edits: z.unknown().optional().describe("written as the story's edit request, as it is"),
  say: text.optional().describe("printed on stdout"),
  complain: text.optional().describe("printed on stderr"),
  exit: z.int().min(0).max(255).optional(),
  usage: z
    .strictObject({
      usd: z.number().min(0).optional(),
      input: z.int().min(0).optional(),
      output: z.int().min(0).optional(),
    })
    .optional()
    .describe("what it says it has cost"),
});

const script = z.strictObject({
  steps: z.record(text, z.array(act).min(1)).describe("what each step does; the first act that fits is played"),
});

export type Act = z.infer<typeof act>;
export type Script = z.infer<typeof script>;

export function readScript(source: string, file: string): Script {
  let value: unknown;
  try {
    value = parse(source, { maxAliasCount: 50 });
  } catch (error) {
    throw invalid(file, errorText(error));
  }
  const read = script.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw invalid(file, `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "is not a script"}`);
}

export interface Cue {
  readonly step: string;
  /** The type of the step, in chains whose steps have one. */
  readonly type?: string;
  readonly story: string;
  /** Empty: the whole step. */
  readonly part?: string;
  readonly attempt: number;
}

/** The first act of the step, or of its type, that fits the story, the part and the attempt; null: the script has none. */
export function actFor(played: Script, cue: Cue): Act | null {
  const acts = played.steps[cue.step] ?? played.steps[cue.type ?? ""] ?? played.steps["*"] ?? [];
  return (
    acts.find(
      (candidate) =>
        (candidate.story === undefined || candidate.story === cue.story) &&
        (candidate.part === undefined || candidate.part === cue.part) &&
        (candidate.attempt === undefined || candidate.attempt === cue.attempt),
    ) ?? null
  );
}

/** Fills `{{story}}`, `{{attempt}}` and the like into a text of the script. */
export function fill(source: string, cue: Readonly<Record<string, string>>): string {
  return source.replace(/\{\{\s*([a-z_]+)\s*\}\}/g, (whole, key: string) => cue[key] ?? whole);
}

function invalid(file: string, problem: string): AppError {
  return new AppError("SCRIPT_INVALID", `${file} is not a script for the scripted agent: ${problem}`, {
    hint: `see ${guide("run-with-your-own-agent")} for the format`,
  });
}
