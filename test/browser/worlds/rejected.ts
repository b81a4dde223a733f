// A run of feature-dev on the project of the demo, told by a scripted agent: a story was rejected and corrected, then the tests of the
// whole failed three times, and the run asks what now. Its branch has a real change, and an answer lets the run go on to its end.

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Script } from "../../../src/executors/script.ts";
import { expectCode, newSite, type Site, writeAt } from "../../support/pawl.ts";
import { runGit } from "../../support/repository.ts";
import { type ServedWorld, type ServeOptions, serveHome } from "./served.ts";

const demo = join(import.meta.dirname, "../../../demo");

export interface RejectedWorld extends ServedWorld {
  readonly site: Site;
  readonly run: number;
  /** The prompt of the first attempt after the answer. */
  nextPrompt(): string;
}

export async function rejectedWorld(options: ServeOptions = {}): Promise<RejectedWorld> {
  const site = newSite();
  cpSync(join(demo, "project"), site.repo, { recursive: true });
  runGit(site.repo, "add", "--all");
  runGit(site.repo, "commit", "--quiet", "--message=A very small calculator");
  const script = writeAt(site, "script.yml", JSON.stringify(toldScript()));
  const task = "Give the calculator subtract and divide, and a command line.";
  expectCode(await site.pawl("run", "feature-dev", task, "--script", script), 3);
  const { run } = await site.status("1");
  const world = await serveHome(site.home, { drives: true, ...options });
  return {
    ...world,
    site,
    run: run.number,
    nextPrompt: () => readFileSync(join(site.home, "logs", run.id, "FIX-3-implement-1.prompt.md"), "utf8"),
  };
}

/** What an agent says while it corrects something. */
const thoughts = `I read the failures and changed cli.js.

What I found:
  1. cli.js looks the sign up in \`operations\` and calls what it finds.
  2. An unknown sign finds nothing, and the call throws: that is the stack trace.
  3. The words of the command line become numbers without a look at them.

$ node cli.js 7 - 2
5
$ node cli.js 7 x 2
usage: node cli.js NUMBER +|-|/ NUMBER
$ npm test
# tests 9
# pass 9
# fail 0

The usage is now one line, and the exit code is 2.
The division by zero says so, and exits with 1.`;

/** The script of the demo, with tests that fail until a person has answered, and with what everything cost. */
function toldScript(): Script {
  const { steps } = parse(readFileSync(join(demo, "script.yml"), "utf8")) as Script;
  const failing = [
    "- test/cli.test.js: `node cli.js 7 x 2` prints a stack trace instead of its usage (cli.js)",
    "- test/cli.test.js: `node cli.js seven - 2` prints NaN; numbers must be checked (cli.js)",
    "- test/cli.test.js: `node cli.js 1 / 0` exits with 0 (cli.js)",
  ];
  const fixing = failing.map((_, index) => ({
    story: `FIX-${index + 1}`,
    append: { "cli.js": `\n// Correction ${index + 1}: what the tests of the whole found.\n` },
    commit: `fix: FIX-${index + 1} - what the tests found`,
    say: `${thoughts}\nSTATUS: done\nCHANGES: cli.js\nTESTS: test/cli.test.js`,
    usage: { usd: 0.21 + index / 100, input: 18_000, output: 2_400 },
  }));
  const costs = { plan: 0.32, implement: 0.74, verify: 0.11, test: 0.18, pr: 0.06, review: 0.24 };
  const told: Script["steps"] = {
    ...steps,
    implement: [...fixing, ...(steps["implement"] ?? [])],
    test: [
      ...failing.map((failure, index) => ({ attempt: index + 1, say: `STATUS: retry\nFAILURES:\n${failure}` })),
      ...(steps["test"] ?? []),
    ],
  };
  const priced = Object.entries(told).map(([step, acts]) => {
    const usd = costs[step as keyof typeof costs];
    // The demo runs its tests in each step, which takes longer than everything else.
    return [step, acts.map((act) => ({ usage: { usd, input: 40_000, output: 3_000 }, ...act, run: [] }))] as const;
  });
  return { steps: Object.fromEntries(priced) };
}
