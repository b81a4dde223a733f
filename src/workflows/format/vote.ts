// Lowers a vote: its function, the name of what stories said, and for `count` how many must have said it.

import { stepName } from "../../domain/ids.ts";
import { foldValue } from "../../domain/route.ts";
import type { Vote, VoteName } from "../../domain/vote.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";

interface WrittenVote {
  readonly vote: VoteName;
  readonly of: string;
  readonly atLeast: number | undefined;
}

/** `path`: where `of` and `at_least` stand. Whether its step has stories that say it is checked on the finished chain. */
export function readVote(reading: Reading, step: string, written: WrittenVote, path: Path): Vote | null {
  const { vote, atLeast } = written;
  const [, home, key] = /^(.+)\.\*\.([^.*]+)$/.exec(written.of.trim()) ?? [];
  const say = (where: Path, message: string, expected: string, hint: string) =>
    refuse(reading, where, { message: `Step '${step}': ${message}`, expected, hint });
  if (home === undefined || key === undefined) {
    const hint = "`STEP` is a stories step, `KEY` what its stories print: for example `of: review.*.verdict`";
    say([...path, "of"], `"${written.of}" does not name what stories said`, "`of: STEP.*.KEY`", hint);
    return null;
  }
  const of = { step: stepName(home), key: foldValue(key) };
  if (vote === "count") {
    if (atLeast === undefined)
      say(path, "`count` needs a number", "`at_least: N` beside `of`", "for example `at_least: 2`");
    return { vote, of, atLeast: atLeast ?? 1 };
  }
  if (atLeast !== undefined)
    say([...path, "at_least"], `\`at_least\` has no effect on \`${vote}\``, "`at_least` with `count`", "write `count`");
  return { vote, of };
}
