// Collects the outputs of stories for the run: where stories say different things under one key, each has its line, with the name of
// its story. Outputs of one story never replace those of another.

import type { StoryId } from "../../domain/ids.ts";
import { contextKey } from "../../domain/include.ts";
import type { Collected, Header, Run } from "../../domain/run.ts";
import type { StorySaid } from "../../domain/story.ts";
import { cutEnd } from "../../prompts/plaintext.ts";
import { storiesStep } from "../definitions.ts";

/** A header is written with every transition of its chain, so what it holds has a limit. */
const longest = 16 * 1024;
const cutMark = "\n… (more stories set it)";

export interface Merged {
  readonly set: Readonly<Record<string, string>>;
  readonly collected: Readonly<Record<string, Collected>>;
}

/** The context of a story that is done, as the run gets it. */
export function mergeOutputs(header: Header, story: StoryId, outputs: Readonly<Record<string, string>>): Merged {
  const set: Record<string, string> = {};
  const collected: Record<string, Collected> = {};
  for (const [key, value] of Object.entries(outputs)) {
    if (header.given.includes(key)) continue;
    const before = header.collected?.[key];
    const text = header.context[key];
    // The branch is one for all: the first name stays.
    if (before === undefined || text === undefined || key === "branch") {
      set[key] = value;
      collected[key] = { story, same: 1, isList: false, ...(text === undefined ? {} : { own: text }) };
    } else if (!before.isList && text === value) {
      set[key] = value;
      collected[key] = { ...before, same: before.same + 1 };
    } else {
      const lines = before.isList ? text : lineOf(nameOf(before), text);
      set[key] = withLine(lines, lineOf(story, value));
      collected[key] = { ...before, isList: true };
    }
  }
  return { set, collected };
}

/** What later steps read of a story by name; null: no step reads anything of it. */
export function saidAtEnd({ header, stories }: Run, story: StoryId): StorySaid | null {
  const scope = stories[story];
  const keys = scope && header.definition.collects?.[scope.of];
  if (!keys) return null;
  const { context, of } = scope;
  const step = storiesStep(header, of);
  const values = keys.flatMap((key) => {
    const name = contextKey(step, key);
    return Object.hasOwn(context, name) ? [[key, context[name] ?? ""] as const] : [];
  });
  return { of, values: Object.fromEntries(values.map(([key, value]) => [key, cutEnd(value, longest)])) };
}

function nameOf({ story, same }: Collected): string {
  return same === 1 ? story : `${story} and ${same - 1} more`;
}

/** A value of several lines stays one entry. */
function lineOf(name: string, value: string): string {
  return `${name}: ${value.replaceAll("\n", "\n  ")}`;
}

function withLine(lines: string, line: string): string {
  if (lines.endsWith(cutMark)) return lines;
  const longer = `${lines}\n${line}`;
  return longer.length <= longest ? longer : lines.slice(0, longest) + cutMark;
}
