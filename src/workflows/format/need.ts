// Reads `need` and `others`: how many parts of a step, or how many stories, must end well, and what becomes of the rest.

import type { StoriesStep } from "../../domain/definition.ts";
import type { PartsDefinition } from "../../domain/part.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { StepInput } from "./step-schema.ts";

export function readNeed(reading: Reading, written: StepInput, path: Path): Pick<PartsDefinition, "need" | "others"> {
  const { id, need, others } = written;
  if (need !== "first") return { need: need ?? "all", others: others ?? "finish" };
  if (others !== undefined) {
    refuse(reading, [...path, "others"], {
      message: `Step '${id}': \`need: first\` stops the others`,
      expected: "`need: first` alone",
      hint: "write `need: 1` and `others: finish` to let them end",
    });
  }
  return { need: 1, others: "stop" };
}

/** With a number in `need`, a failed story is no reason to start no other: the others may be enough. */
export function readStoriesNeed(
  reading: Reading,
  written: StepInput,
  path: Path,
): Pick<StoriesStep, "need" | "others" | "onStoryFailed"> {
  const { need, others } = readNeed(reading, written, path);
  const { id, on_story_failed: onStoryFailed } = written;
  if (need === "all" && others === "stop" && onStoryFailed !== undefined) {
    refuse(reading, [...path, "on_story_failed"], {
      message: `Step '${id}': \`on_story_failed\` has no effect beside \`others: stop\`, where all stories must be done`,
      expected: "one of the two",
      hint: "`others: stop` stops the others when a story fails; `on_story_failed` lets those at work end",
    });
  }
  return {
    onStoryFailed: onStoryFailed ?? (need === "all" ? "stop" : "continue"),
    ...(need === "all" ? {} : { need }),
    ...(others === "stop" ? { others } : {}),
  };
}
