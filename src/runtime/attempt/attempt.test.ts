// From a claim to a report, with real agents: what they print is all they can do.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeWorld } from "../../../test/support/world.ts";

const stories = 'STORIES_JSON: [{"id":"US-001","title":"One","description":"d","acceptanceCriteria":["c"]}]';

/** A planner that plans one story, and a verifier that prints what it is told to. */
const verifying = (said: string) => `
case $PAWL_STEP in
plan) printf '%s\\n' 'STATUS: done' '${stories}' ;;
implement) echo STATUS: done ;;
verify) ${said} ;;
esac
`;
const steps = `
  - { id: plan, agent: worker, input: "{{task}}" }
  - id: implement
    stories: {}
    body:
      - { id: implement, agent: worker, input: "{{current_story}}" }
      - { id: verify, agent: worker, input: "{{current_story}}", on_error: fail, on: { rejected: fail } }
`;

describe("what an agent says", () => {
  test.each([
    ["no verdict", "echo 'all looks well to me'", "no STATUS line"],
    ["nothing at all", ":", "the output is empty"],
    ["two verdicts", "printf 'STATUS: done\\nSTATUS: retry\\n'", "STATUS"],
    ["a word that nobody knows", "echo 'STATUS: splendid'", "unknown STATUS"],
  ])("[PF1] a verifier that says %s has not verified", async (_what, said, why) => {
    const world = await makeWorld({ agent: verifying(said), steps });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("failed");
    expect(await world.outcomes(run)).toEqual(["completed", "completed", "invalid_output"]);
    const last = (await world.attempts(run)).at(-1);
    expect(last?.state).toMatchObject({ why: expect.stringContaining(why), verdict: null });
    expect((await world.run(run)).header.stories[0]?.status).toBe("failed");
  });

  test("[PF2] an agent that says done and exits with another code than 0 has failed", async () => {
    const world = await makeWorld({ agent: verifying("echo STATUS: done; exit 5"), steps });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("failed");
    expect((await world.attempts(run)).at(-1)?.state).toMatchObject({ outcome: "failed", why: /exit code 5/ });
  });

  test("[PF3] a red check turns done into rejected, with its output as the feedback", async () => {
    const checked = `
  - id: work
    agent: worker
    input: "{{feedback}}"
    checks: ["test -f good.txt || { echo good.txt is missing; exit 1; }"]
    on: { rejected: { again, at_most: 1 } }
`;
    const agent =
      'cat > "$PAWL_SHARED/prompt-$PAWL_ATTEMPT"; if [ "$PAWL_ATTEMPT" = 2 ]; then touch good.txt; fi; echo STATUS: done';
    const world = await makeWorld({ agent, steps: checked });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    const verdicts = (await world.attempts(run)).map(({ state }) => state.phase === "ended" && state.verdict);
    expect(verdicts).toEqual([{ kind: "rejected", reason: "checks" }, { kind: "passed" }]);
    expect(world.read("prompt-2")).toContain("good.txt is missing");
  });

  test("[PF4] a command step says yes or no by its exit code", async () => {
    const world = await makeWorld({
      steps: '\n  - { id: ok, command: "true" }\n  - { id: no, command: "echo red; exit 3" }\n',
    });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("failed");
    expect((await world.run(run)).header.end?.reason).toContain("red");
  });
});

describe("values in commands", () => {
  const hostile = "1.0; touch $PAWL_SHARED/hacked `touch $PAWL_SHARED/hacked` $(touch $PAWL_SHARED/hacked)";
  const tag = (more: string) => `
  - { id: plan, agent: worker, input: "{{task}}", checks: ['test "$WHAT" = "do it"'], env: { WHAT: "{{task}}" } }
  - id: tag
    command: 'printf "%s" "v$VERSION" > "$PAWL_SHARED/said"; echo red; exit 3'
    env: { VERSION: "{{version}}"${more} }
    on: { rejected: next }
  - { id: mend, agent: worker, input: "Mend it. {{feedback}}" }
`;
  const agent = `cat > "$PAWL_SHARED/prompt-$PAWL_STEP"
[ "$PAWL_STEP" = plan ] && printf '%s\\n' 'VERSION: ${hostile}'
echo STATUS: done
`;

  test("[PF17 RT14] a value arrives whole and no shell runs it; what a red command printed reaches the step behind it", async () => {
    const world = await makeWorld({ agent, steps: tag("") });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(world.read("said")).toBe(`v${hostile}`);
    expect(existsSync(join(world.home.dir, "hacked"))).toBe(false);
    expect(world.read("prompt-mend")).toMatch(/Mend it\. exit code 3[^]*red/);
  });

  test("[PF17] a command whose key has no value does not run, and the reason names the key", async () => {
    const world = await makeWorld({ agent, steps: tag(', NOTE: "{{changes}}"') });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("failed");
    expect((await world.run(run)).header.end?.reason).toContain("NOTE needs {{changes}}, which no step has set");
    expect(existsSync(join(world.home.dir, "said"))).toBe(false);
  });
});

describe("what is kept", () => {
  test("[PF5] the prompt and the output of an attempt are files that only their owner reads", async () => {
    const world = await makeWorld({ agent: "cat > /dev/null; echo out; echo err >&2; echo STATUS: done" });
    const run = await world.begin("Paint it blue");
    await world.drive(run);
    const file = join(world.home.logs, run, "run-work-1.log");
    expect(readFileSync(file, "utf8").split("\n").toSorted()).toEqual(["", "STATUS: done", "err", "out"]);
    expect(readFileSync(file.replace(".log", ".prompt.md"), "utf8")).toContain("Paint it blue");
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(statSync(file.replace(".log", ".prompt.md")).mode & 0o077).toBe(0);
  });

  test("[PF6] 200 MB of output make a log of a fixed size that says so, take little memory, and can still be read", async () => {
    const world = await makeWorld({
      agent: "cat > /dev/null; yes 0123456789abcdef | head -c 200000000; echo; echo STATUS: done",
    });
    const run = await world.begin();
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    expect(await world.drive(run)).toBe("done");
    clearInterval(timer);
    const { size } = statSync(join(world.home.logs, run, "run-work-1.log"));
    expect(size).toBeGreaterThan(100 * 1024 * 1024);
    expect(size).toBeLessThan(101 * 1024 * 1024);
    expect((peak - before) / 1e6).toBeLessThan(100);
  });

  test("[PF7] a program that cannot be started fails the step with the reason and what to do", async () => {
    const world = await makeWorld({ executor: "command: no-such-program-anywhere" });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("failed");
    expect((await world.run(run)).header.end?.reason).toContain("no-such-program-anywhere: it is not on PATH");
    expect(existsSync(join(world.home.worktrees, run))).toBe(true);
  });
});

test("[RC18] the file of a kept result is handed on along a chain, and none is left at its end", async () => {
  const world = await makeWorld({
    agent: 'ls "$PAWL_SHARED/logs/$PAWL_RUN" | grep end.json >> "$PAWL_SHARED/seen" || true; echo STATUS: done',
    steps: ["one", "two", "three"].map((id) => `\n  - { id: ${id}, agent: worker, input: "{{task}}" }`).join(""),
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect(world.read("seen")).toBe("run-two-1.end.json\nrun-three-1.end.json\n");
  expect(readdirSync(join(world.home.logs, run)).filter((name) => name.endsWith(".json"))).toEqual([]);
});
