// Somebody died. Real processes, real git, real SQLite; leases are short instead of waited for.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { callOf, identityIn } from "../../../test/support/programs.ts";
import { log, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { shimGit } from "../../../test/support/slots.ts";
import { overriding } from "../../../test/support/store-overrides.ts";
import { until } from "../../../test/support/until.ts";
import { briefLease, makeWorld, shortTimes, type World } from "../../../test/support/world.ts";
import { type Attempt, baseOf, noUsage } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { attemptMarker } from "../../executors/executor.ts";
import type { Store } from "../../store/store.ts";
import { systemClock } from "../../system/clock.ts";
import { hostName } from "../../system/home.ts";
import { isAlive } from "../../system/process/identity.ts";
import { supervise } from "../../system/process/supervise.ts";
import { headIn } from "../../workspaces/trees/snapshot.ts";
import { RunningAttempt } from "../attempt/attempt.ts";
import { begin } from "../attempt/begin/begin.ts";
import { type Claim, claimStep } from "../attempt/claim/claim.ts";
import { prepareWorkspace } from "../attempt/prepare/workspace.ts";
import type { Parts } from "../parts.ts";
import { sweepStrays } from "../strays.ts";
import { transition } from "../transition/transition.ts";
import { completePulledStep, pullStep } from "./pull.ts";
import { recover } from "./recover.ts";

/** The first attempt works, leaves a process in a session of its own, and never ends; the second does it all. */
const dies = `
if [ "$PAWL_ATTEMPT" = 1 ]; then
  echo half > half.txt
  git add --all
  git -c user.name=A -c user.email=a@example.invalid commit --quiet --message=half
  printf '\\000\\001' > binary.dat
  setsid sh -c "echo \\$\\$ > $PAWL_SHARED/stray; exec sleep 600" > /dev/null 2>&1 &
  while [ ! -s "$PAWL_SHARED/stray" ]; do sleep 0.05; done
  echo $$ > "$PAWL_SHARED/agent"
  sleep 600
fi
git log --format=%s > "$PAWL_SHARED/seen"
git status --porcelain >> "$PAWL_SHARED/seen"
echo whole > whole.txt
git add --all
git -c user.name=A -c user.email=a@example.invalid commit --quiet --message=whole
echo STATUS: done
`;

/** A run whose driver was killed while its agent worked. */
async function afterDeath(options: Parameters<typeof makeWorld>[0] = {}): Promise<{ world: World; run: RunId }> {
  const world = await makeWorld({ agent: dies, ...options });
  const run = await world.begin();
  const driver = world.startDriver(run);
  await world.appears("agent", "\n");
  await driver.kill();
  return { world, run };
}

const branchOf = async (world: World, run: RunId) => (await world.run(run)).header.place.branch ?? "";
const subjects = async (world: World, run: RunId) => log(world.repo, await branchOf(world, run)).toReversed();

describe("a driver that was killed", () => {
  test("[RC1] is noticed at once by the next one: its processes are ended and its attempt is lost", async () => {
    const world = await makeWorld({ agent: dies });
    const run = await world.begin();
    const driver = world.startDriver(run);
    await world.appears("agent", "\n");
    // Before the death: the watchdog may end them first.
    const [agent, stray] = [
      await identityIn(join(world.home.dir, "agent")),
      await identityIn(join(world.home.dir, "stray")),
    ];
    await driver.kill();
    expect(await world.outcomes(run)).toEqual(["started"]);
    expect(await recover(world.parts)).toHaveLength(1);
    expect([isAlive(agent), isAlive(stray)]).toEqual([false, false]);
    expect(await world.outcomes(run)).toEqual(["lost"]);
    expect((await world.run(run)).header.chain[0]?.state.status).toBe("ready");
    expect(await world.parts.dispatch.leases({ endedBefore: null })).toEqual([]);
  });

  test("[RC21] what its agent had used until then counts, from what it had printed", async () => {
    const world = await makeWorld({ executor: "claude", config: "prices: { told-1: { input: 1, output: 10 } }" });
    const bin = tempDir("pawl-bin-");
    const message = (id: string, input: number, output: number) =>
      JSON.stringify({
        type: "assistant",
        message: { id, model: "told-1", content: [], usage: { input_tokens: input, output_tokens: output } },
      });
    const first = JSON.stringify({ type: "system", subtype: "init", session_id: "s-1", model: "told-1" });
    const lines = [first, message("m1", 1000, 20), message("m2", 3000, 80)].map((line) => `echo '${line}'`);
    const script = [
      "#!/bin/sh",
      'case "$*" in *--version*) echo "2.1.325 (Claude Code)"; exit 0;; esac',
      ...lines,
      `echo up > ${join(world.home.dir, "agent")}`,
      "exec sleep 600",
    ];
    writeFileSync(join(bin, "claude"), script.join("\n"), { mode: 0o755 });
    const run = await world.begin();
    const driver = world.startDriver(run, { PATH: `${bin}:${process.env["PATH"]}` });
    await world.appears("agent", "\n");
    await world.appears(`logs/${run}/run-work-1.log`, "m2");
    await driver.kill();
    await recover(world.parts);
    const [lost] = await world.attempts(run);
    expect(lost).toMatchObject({
      state: { outcome: "lost" },
      model: "told-1",
      usage: { inputTokens: 4000, outputTokens: 100 },
    });
    expect(lost?.usage.costUsd).toBeCloseTo(0.005);
    expect((await world.run(run)).header.totals).toMatchObject({ inputTokens: 4000 });
  });

  test("[RC2] the step runs again, from the tree that the lost attempt began with", async () => {
    const { world, run } = await afterDeath();
    expect(await world.drive(run)).toBe("done");
    expect(await world.outcomes(run)).toEqual(["lost", "completed"]);
    expect(world.read("seen")).toBe("first\n");
    expect(await subjects(world, run)).toEqual(["first", "whole"]);
    const { state } = (await world.attempts(run))[0] ?? {};
    expect(state).toMatchObject({ outcome: "lost", why: "the process that drove it died" });
  });

  test("[RC3] the work of the lost attempt is saved as a diff that git apply takes on its base", async () => {
    const { world, run } = await afterDeath();
    await world.drive(run);
    const [lost] = await world.attempts(run);
    const file = join(world.home.salvage, run, "run-work-1.diff");
    expect(readdirSync(join(world.home.salvage, run))).toEqual(["run-work-1.diff"]);
    const copy = join(tempDir(), "copy");
    runGit(world.repo, "clone", "--quiet", world.repo, copy);
    runGit(copy, "checkout", "--quiet", headIn((lost && baseOf(lost)) ?? ""));
    runGit(copy, "apply", file);
    expect(readFileSync(join(copy, "half.txt"), "utf8")).toBe("half\n");
    expect([...readFileSync(join(copy, "binary.dat"))]).toEqual([0, 1]);
  });

  test.each(["{}", '{"end":{}}', "[]", '{"end":{"outcome":"blocked","kind":"a kind of a later version","notes":[]}}'])(
    "[RC18] a kept result that says %s ends the attempt, and never the driver",
    async (kept) => {
      const { world, run } = await afterDeath();
      writeFileSync(join(world.home.logs, run, "run-work-1.end.json"), kept);
      expect(await world.drive(run)).toBe("done");
      expect((await world.outcomes(run)).at(-1)).toBe("completed");
    },
  );

  test("[RC18] a kept result of another attempt does not count", async () => {
    const { world, run } = await afterDeath();
    const end = { outcome: "ran", text: "STATUS: done", usage: noUsage, session: null, notes: [] };
    const kept = { attempt: "at-0000000000000000", end, reported: { report: null } };
    writeFileSync(join(world.home.logs, run, "run-work-1.end.json"), JSON.stringify(kept));
    expect(await world.drive(run)).toBe("done");
    expect(await world.outcomes(run)).toEqual(["lost", "completed"]);
  });

  test("[RC18 RC19] the end of an attempt whose result was taken over says so, in the log", async () => {
    const { world, run } = await afterDeath();
    const end = { outcome: "ran", text: "STATUS: done", usage: noUsage, session: null, notes: [] };
    const kept = { attempt: (await world.attempts(run))[0]?.id, end, reported: { report: null } };
    writeFileSync(join(world.home.logs, run, "run-work-1.end.json"), JSON.stringify(kept));
    expect(await world.drive(run)).toBe("done");
    expect(await world.outcomes(run)).toEqual(["completed"]);
    const ends = (await world.events(run)).filter((event) => event.type === "attempt_ended");
    expect(ends).toMatchObject([{ facts: { adopted: true } }]);
  });

  test("[RC4] several who recover at once report it once", async () => {
    const { world, run } = await afterDeath();
    const others = await Promise.all([world.open(), world.open(), world.open()]);
    await Promise.all([world.parts, ...others].map((parts) => recover(parts)));
    expect(await world.outcomes(run)).toEqual(["lost"]);
    expect((await world.events(run)).filter(({ type }) => type === "attempt_ended")).toHaveLength(1);
    expect(await recover(world.parts)).toEqual([]);
  });

  test("[RC5] an attempt that died before it began does not hide the unfinished work of the one before it", async () => {
    const { world, run } = await afterDeath();
    await recover(world.parts);
    for (let death = 0; death < 2; death += 1) {
      expect(await claimAs(world.parts, run, deadWorker)).not.toBeNull();
      expect(await recover(world.parts)).toHaveLength(1);
    }
    expect(await world.drive(run)).toBe("done");
    expect(await world.outcomes(run)).toEqual(["lost", "lost", "lost", "completed"]);
    expect(world.read("seen")).toBe("first\n");
  });

  test("[RC6] a git that it left in the middle of preparing a tree is waited for", async () => {
    const agent = dies.replace("echo whole > whole.txt", "echo whole > whole.txt\nsleep 2.5");
    const { world, run } = await afterDeath({ agent });
    // The first `git clean` takes its time, as it would in a large tree.
    const bin = join(world.dir, "bin");
    const slow = `#!/bin/sh
case " $* " in *" clean "*) if mkdir "${bin}/once" 2> /dev/null; then sleep 2; fi ;; esac
PATH=\${PATH#*:}
exec git "$@"
`;
    writeFiles(bin, { git: slow });
    runGit(world.dir, "-c", "alias.x=!chmod +x bin/git", "x");
    const second = world.startDriver(run, { PATH: `${bin}:${process.env["PATH"]}` });
    await until(() => existsSync(join(bin, "once")));
    await second.kill();
    expect(await world.drive(run)).toBe("done");
    expect(await world.outcomes(run)).toEqual(["lost", "lost", "completed"]);
    expect(await subjects(world, run)).toEqual(["first", "whole"]);
    expect(runGit(world.repo, "show", `${await branchOf(world, run)}:whole.txt`)).toBe("whole");
  });

  test("[RC7] processes of ended attempts are ended when a driver starts; those of others are left alone", async () => {
    const world = await makeWorld();
    const run = await world.begin();
    await world.drive(run);
    const [attempt] = await world.attempts(run);
    const ours = supervise(
      callOf(["sleep", "600"], { marker: { name: attemptMarker, value: attempt?.id ?? "" }, limits: { graceMs: 0 } }),
    );
    const foreign = supervise(
      callOf(["sleep", "600"], {
        marker: { name: attemptMarker, value: "at-of-another-store" },
        limits: { graceMs: 0 },
      }),
    );
    onTestFinished(() => foreign.stop("the test is over"));
    await Promise.all([ours.started, foreign.started]);
    expect(await sweepStrays(world.parts)).toBe(1);
    expect((await ours.ended).kind).toBe("signalled");
    expect(foreign.identity && isAlive(foreign.identity)).toBe(true);
  });

  test("[RC8] what it had begun to tidy up after a run is done by the next one", async () => {
    const world = await makeWorld();
    const run = await world.begin();
    const blind = { ...world.parts, store: overriding(world.parts.store, { dueEffects: async () => [] }) };
    expect(await world.drive(run, { parts: blind })).toBe("done");
    const tree = join(world.home.worktrees, run);
    expect(existsSync(tree)).toBe(true);
    const [effect] = await world.parts.store.dueEffects(Date.now(), 10);
    expect(effect && (await world.parts.store.takeEffect(effect, Date.now() + 1_000))).toBe(true);
    expect(await world.drive(run)).toBe("done");
    expect(existsSync(tree)).toBe(false);
    expect(await world.parts.store.dueEffects(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });
});

describe("an agent that was killed from outside", () => {
  test("[RC9] has failed, and its work stays; a lock that its git left does not fail the next attempt", async () => {
    const agent = `
if [ "$PAWL_ATTEMPT" = 1 ]; then
  echo half > half.txt
  touch "$(git rev-parse --git-dir)/index.lock"
  touch "$(git rev-parse --git-common-dir)/$(git symbolic-ref HEAD).lock"
  kill -9 $$
fi
test -e half.txt
git add --all
git -c user.name=A -c user.email=a@example.invalid commit --quiet --allow-empty --message=whole
echo STATUS: done
`;
    const world = await makeWorld({ agent });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(await world.outcomes(run)).toEqual(["failed", "completed"]);
    expect(await subjects(world, run)).toEqual(["first", "whole"]);
  });
});

describe("an agent that dies again and again", () => {
  test.each([
    ["by a signal", "kill -ABRT $$"],
    ["by its exit code", "exit 1"],
  ])(
    "[PF16 RC9] %s: it draws on `on_error`, after a pause that grows, and the run fails with the reason",
    async (_how, death) => {
      const world = await makeWorld({
        agent: `ulimit -c 0; ${death}`,
        steps: `
  - id: work
    agent: worker
    input: "{{task}}"
    on_error: { again, at_most: 2, then: fail }
`,
      });
      const run = await world.begin();
      expect(await world.drive(run)).toBe("failed");
      expect(await world.outcomes(run)).toEqual(["failed", "failed", "failed"]);
      const attempts = await world.attempts(run);
      const pauses = attempts.slice(1).map(({ startedAt }, index) => startedAt - endOf(attempts[index]));
      expect(pauses[0]).toBeGreaterThanOrEqual(500);
      expect(pauses[1]).toBeGreaterThanOrEqual(1_500);
      expect((await world.run(run)).header.end).toMatchObject({
        reason: expect.stringContaining(death === "exit 1" ? "exit code 1" : "it died by SIGABRT"),
      });
    },
  );
});

describe("a git of ours that is killed from outside", () => {
  test.each([
    ["makes the tree", "worktree add"],
    ["looks at what the attempt starts from", "status"],
  ])("[RC16] while it %s: the attempt is lost, not failed, and runs again", async (_what, command) => {
    const world = await makeWorld({ agent: "git status --porcelain; echo STATUS: done" });
    const run = await world.begin();
    const once = join(tempDir(), "killed-once");
    const kills = `case " $* " in *" ${command} "*) [ -e ${once} ] || { touch ${once}; kill -9 $$; } ;; esac`;
    vi.stubEnv("PATH", shimGit(`${kills}\nexec $real "$@"`));
    expect(await world.drive(run)).toBe("done");
    expect(existsSync(once)).toBe(true);
    expect(await world.outcomes(run)).toEqual(["lost", "completed"]);
  });
});

describe("a driver that was frozen", () => {
  test("[RC10 RC12] loses its attempt when its lease has ended; when it comes back its late result is refused, and the tree of the next one stays as it is", async () => {
    const agent = `
echo $$ > "$PAWL_SHARED/agent-$PAWL_ATTEMPT"
# Its driver stands still, and cannot bury it.
case "$PAWL_ATTEMPT $(ps -o state= -p "$(cat "$PAWL_SHARED/agent-1")")" in "1 "* | "2 " | "2 Z"*) ;; *) touch "$PAWL_SHARED/two-agents" ;; esac
echo "$PAWL_ATTEMPT" >> "$PAWL_SHARED/begun"
if [ "$PAWL_ATTEMPT" = 1 ]; then sleep 600; fi
echo "$PAWL_ATTEMPT" > "work-$PAWL_ATTEMPT.txt"
touch "$PAWL_SHARED/working"
while [ ! -e "$PAWL_SHARED/go" ]; do sleep 0.05; done
git add --all
git -c user.name=A -c user.email=a@example.invalid commit --quiet --message="by attempt $PAWL_ATTEMPT"
echo STATUS: done
`;
    const world = await makeWorld({ agent, workspace: "{ on_failure: reset }" });
    const run = await world.begin();
    const frozen = world.startDriver(run, {}, briefLease);
    await world.appears("begun", "1\n");
    await world.freeze(frozen);
    const driving = world.drive(run);
    await world.appears("begun", "2\n");
    expect(existsSync(join(world.home.dir, "two-agents"))).toBe(false);
    expect(await world.outcomes(run)).toEqual(["lost", "started"]);
    expect((await world.attempts(run))[0]?.state).toMatchObject({ why: "its worker stopped reporting" });
    await world.appears("working", "");
    frozen.signal("SIGCONT");
    const refusals = async () => (await world.events(run)).filter(({ type }) => type === "report_refused");
    await expect.poll(refusals).toHaveLength(1);
    expect(await world.outcomes(run)).toEqual(["lost", "started"]);
    expect(existsSync(join(world.home.worktrees, run, "work-2.txt"))).toBe(true);
    writeFileSync(join(world.home.dir, "go"), "");
    expect(await driving).toBe("done");
    expect([await frozen.ended, frozen.complaints]).toEqual([0, ""]);
    expect(await world.outcomes(run)).toEqual(["lost", "completed"]);
    expect(await subjects(world, run)).toEqual(["first", "by attempt 2"]);
  });

  test("[RC11] a driver whose attempt was taken away ends its agent, and starts nothing beside it before it is gone", async () => {
    const agent = `
trap '' TERM
echo "begin $PAWL_ATTEMPT" >> "$PAWL_SHARED/audit"
if [ "$PAWL_ATTEMPT" = 1 ]; then for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2; echo "alive 1" >> "$PAWL_SHARED/audit"; done; sleep 600; fi
echo STATUS: done
`;
    const world = await makeWorld({ agent });
    const run = await world.begin();
    const driving = world.drive(run);
    await world.appears("audit", "alive 1");
    // As a driver on another machine would do it: nothing is killed here.
    const [attempt] = await world.attempts(run);
    if (!attempt) throw new Error("nothing runs");
    await reportLost(world.parts, run, attempt.id);
    expect(await driving).toBe("done");
    expect(await world.outcomes(run)).toEqual(["lost", "completed"]);
    const audit = world.read("audit").trimEnd().split("\n");
    expect(audit.indexOf("begin 2")).toBe(audit.length - 1);
    expect((await world.events(run)).filter(({ type }) => type === "report_refused")).toHaveLength(1);
  });

  test("[RC12] one that was frozen between its claim and its work does not touch the tree when it comes back", async () => {
    const { world, run } = await afterDeath();
    await recover(world.parts);
    const frozen = await claimAs(world.parts, run, deadWorker);
    if (!frozen) throw new Error("nothing to claim");
    await recover(world.parts);
    const tree = join(world.home.worktrees, run);
    const claim = await claimAs(world.parts, run, "somebody else");
    if (!claim) throw new Error("nothing to claim");
    await prepareWorkspace(world.parts, claim.run, claim.attempt);
    writeFileSync(join(tree, "theirs.txt"), "work of somebody else\n");
    await expect(prepareWorkspace(world.parts, frozen.run, frozen.attempt)).rejects.toThrow(/has ended/);
    expect(existsSync(join(tree, "theirs.txt"))).toBe(true);
    // Had it been frozen later, it would be refused when it begins.
    const prepared = { workspace: { path: tree, base: null, env: {} }, input: { missing: [] } };
    expect(await begin(world.parts, frozen, prepared)).toBe(null);
  });

  test("[RC12] one that was frozen while its agent worked leaves the tree as it is when that agent has died meanwhile", async () => {
    const agent = 'touch "$PAWL_SHARED/begun"; while [ ! -e "$PAWL_SHARED/go" ]; do sleep 0.05; done; kill -9 $$';
    const world = await makeWorld({ agent, workspace: "{ on_failure: reset }" });
    const run = await world.begin();
    const claim = await claimAs(world.parts, run, "a worker");
    if (!claim) throw new Error("nothing to claim");
    const running = RunningAttempt.start(world.parts, claim, () => null);
    await world.appears("begun");
    await reportLost(world.parts, run, claim.attempt.id);
    const theirs = join(world.home.worktrees, run, "theirs.txt");
    writeFileSync(theirs, "work of the next attempt\n");
    writeFileSync(join(world.home.dir, "go"), "");
    await running.ended;
    expect(existsSync(theirs)).toBe(true);
    expect(await world.outcomes(run)).toEqual(["lost"]);
  });
});

describe("a result that cannot be written", () => {
  test("[RC13] waits until there is space again: the agent has worked once", async () => {
    const world = await makeWorld({ agent: 'echo run >> "$PAWL_SHARED/runs"; echo STATUS: done' });
    const run = await world.begin();
    let refusals = 0;
    const full = new AppError("STORE_FULL", "no space left", { hint: "free some disk space" });
    const transaction: Store["transaction"] = async (work) => {
      if (world.read("runs") !== "" && refusals < 6) {
        refusals += 1;
        throw full;
      }
      return await world.parts.store.transaction(work);
    };
    const warnings: string[] = [];
    const parts = {
      ...world.parts,
      store: overriding(world.parts.store, { transaction }),
      warn: (text: string) => void warnings.push(text),
    };
    expect(await world.drive(run, { parts })).toBe("done");
    expect(refusals).toBe(6);
    expect(world.read("runs")).toBe("run\n");
    expect(await world.outcomes(run)).toEqual(["completed"]);
    expect(warnings.join()).toContain("free some disk space");
  });

  test("[RC13] waits while somebody else holds the store", async () => {
    // It ends only when the store is held: a result that came before would prove nothing.
    const agent =
      'echo run >> "$PAWL_SHARED/runs"; while [ ! -e "$PAWL_SHARED/go" ]; do sleep 0.05; done; echo STATUS: done';
    const world = await makeWorld({ agent });
    const run = await world.begin();
    const holder = await world.open();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const driving = world.drive(run);
    await world.appears("runs");
    const holding = holder.store.transaction(async () => {
      writeFileSync(join(world.parts.home.dir, "go"), "");
      await held;
    });
    await sleep(2_500);
    expect((await world.events(run)).filter(({ type }) => type === "attempt_ended")).toEqual([]);
    release();
    await holding;
    expect(await driving).toBe("done");
    expect(await world.outcomes(run)).toEqual(["completed"]);
  });
});

describe("an agent that pulled a step and died", () => {
  test("[RC14 CL2] has timed out when the step's time is over, and not when the clock jumps; the limit of `on_error` counts it", async () => {
    let aheadMs = 0;
    let jumpMs = 0;
    const now = () => Date.now() + aheadMs + jumpMs;
    const clock = { ...systemClock, now, steady: () => systemClock.steady() + aheadMs };
    const steps =
      '\n  - { id: work, agent: worker, timeout: 10m, input: "{{task}}", on_error: { again, at_most: 1, then: fail } }\n';
    const world = await makeWorld({ steps, executor: "pull", clock });
    const run = await world.begin();
    const first = await pullStep(world.parts, "small/worker", run);
    expect(first).toMatchObject({ attempt: 1 });
    aheadMs = 9 * 60_000;
    for (jumpMs of [3_600_000, -3_600_000, 0]) {
      expect(await pullStep(world.parts, "small/worker", run)).toBeNull();
    }
    aheadMs = 10 * 60_000 + 1;
    const second = await pullStep(world.parts, "small/worker", run);
    expect(second).toMatchObject({ attempt: 2 });
    expect(await completePulledStep(world.parts, first?.handle ?? "", null, "STATUS: done")).toMatchObject({
      accepted: false,
      code: "stale",
    });
    expect(await world.outcomes(run)).toEqual(["timed_out", "started"]);
    aheadMs *= 2;
    expect(await pullStep(world.parts, "small/worker", run)).toBeNull();
    expect(await completePulledStep(world.parts, second?.handle ?? "", null, "STATUS: done")).toMatchObject({
      accepted: false,
    });
    expect(await world.outcomes(run)).toEqual(["timed_out", "timed_out"]);
    expect(await world.status(run)).toBe("failed");
  });
});

/** A process of this machine that is not there any more. */
const deadWorker = JSON.stringify({ host: hostName(), pid: 2 ** 22 + 1, startedAt: "another boot/1" });

function endOf(attempt: Attempt | undefined): number {
  return attempt?.state.phase === "ended" ? attempt.state.endedAt : Number.NaN;
}

async function claimAs(parts: Parts, run: RunId, worker: string): Promise<Claim | null> {
  return await claimStep(parts, { run, agent: null, driver: "push", worker, leaseMs: shortTimes.leaseMs });
}

async function reportLost(parts: Parts, run: RunId, attempt: Claim["attempt"]["id"]): Promise<void> {
  await transition(parts, run, {
    type: "finish_attempt",
    at: Date.now(),
    author: "driver",
    story: null,
    attempt,
    token: null,
    report: {
      outcome: "lost",
      why: "taken away",
      retryAt: null,
      notes: [],
      usage: { costUsd: 0, inputTokens: 0, outputTokens: 0 },
      session: null,
      tree: null,
    },
  });
}
