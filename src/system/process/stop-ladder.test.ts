import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { freshFile, identityIn, inOwnSession, shell, untilThere } from "../../../test/support/programs.ts";
import type { Clock } from "../clock.ts";
import type { ProcessCall, ProcessEnd } from "./call.ts";
import { isAlive } from "./identity.ts";
import { supervise } from "./supervise.ts";
import { hasProc } from "./table.ts";

/** Stops the program as soon as it has printed something. */
function stopWhenReady(call: ProcessCall): Promise<ProcessEnd> {
  const running = supervise({ ...call, onOutput: () => running.stop("a person cancelled the run") });
  return running.ended;
}

describe("limits", () => {
  test("[PS2] a silent program is stopped at the wall limit", async () => {
    const end = await supervise(shell("exec sleep 300", { limits: { wallMs: 300 } })).ended;
    expect(end).toMatchObject({ kind: "timed_out", limit: "wall", stdoutBytes: 0 });
    expect(end.durationMs).toBeGreaterThan(250);
  });

  test("[PS2] a program that never stops printing is stopped at the wall limit", async () => {
    const end = await supervise(shell("exec yes", { limits: { wallMs: 300 } })).ended;
    expect(end).toMatchObject({ kind: "timed_out", limit: "wall" });
  });

  test("[PS2] the wall limit follows the clock that was given", async () => {
    let ring = (): void => undefined;
    const clock: Clock = { now: () => 0, steady: () => 0, sleep: () => new Promise((resolve) => (ring = resolve)) };
    const running = supervise(shell("exec sleep 300", { clock, limits: { wallMs: 3_600_000 } }));
    ring();
    expect(await running.ended).toMatchObject({ kind: "timed_out", limit: "wall", durationMs: 0 });
  });

  test("[PS2] a limit of more than 25 days is not reached at once", async () => {
    const limits = { wallMs: 1e12, quietMs: 1e12 };
    expect(await supervise(shell("sleep 0.1; echo ok", { limits })).ended).toMatchObject({ kind: "exited", code: 0 });
  });

  test("[PS3] the quiet limit counts from the last byte, on whichever stream", async () => {
    const script = "for i in 1 2 3 4 5 6; do echo out; sleep 0.1; echo err >&2; sleep 0.1; done; exec sleep 300";
    // Tried again: a machine may hold the program up for longer than the limit.
    const end = () => supervise(shell(script, { limits: { quietMs: 1_000 } })).ended;
    const facts = { kind: "timed_out", limit: "quiet", stdoutBytes: 24, stderrBytes: 24 };
    await expect.poll(end).toMatchObject(facts);
  });

  test("[PS3] a program without a quiet limit may be silent", async () => {
    expect(await supervise(shell("sleep 0.5")).ended).toMatchObject({ kind: "exited", code: 0 });
  });

  test("[PS3] a slow sink is not taken for a silent program", async () => {
    const onOutput = () => new Promise<void>((resolve) => setTimeout(resolve, 900));
    const script = "echo a; sleep 0.6; echo b";
    // Tried again: a machine may hold the program up for longer than the limit.
    const end = () => supervise(shell(script, { onOutput, limits: { quietMs: 300 } })).ended;
    await expect.poll(end).toMatchObject({ kind: "exited", code: 0, stdout: "a\nb\n" });
  });
});

describe("stop", () => {
  test("[PS4] a program is asked with SIGTERM, never SIGINT, and may say goodbye", async () => {
    const script =
      "trap 'echo goodbye; exit 3' TERM; trap 'echo interrupted' INT; echo ready; while :; do sleep 0.05; done";
    const end = await stopWhenReady(shell(script));
    expect(end).toMatchObject({ kind: "stopped", reason: "a person cancelled the run", stdout: "ready\ngoodbye\n" });
  });

  test("[PS4] a program that ignores SIGTERM is killed when its grace is over", async () => {
    const pidFile = freshFile("pid");
    const script = `trap '' TERM; echo $$ > ${pidFile}; echo ready; exec sleep 300`;
    const call = shell(script, { limits: { graceMs: 400 } });
    const running = supervise(call);
    const program = await identityIn(pidFile);
    const askedAt = performance.now();
    running.stop("enough");
    expect(await running.ended).toMatchObject({ kind: "stopped", reason: "enough", strays: 0 });
    expect(performance.now() - askedAt).toBeGreaterThan(390);
    expect(isAlive(program)).toBe(false);
  });

  test("[PS4] the agent below a wrapper gets its grace although the wrapper dies at once", async () => {
    const agent = "trap 'sleep 0.2; echo goodbye; exit' TERM; echo ready; while :; do sleep 0.05; done";
    const end = await stopWhenReady(shell(`(${agent}) & wait`));
    expect(end).toMatchObject({ kind: "stopped", stdout: "ready\ngoodbye\n", strays: 0 });
  });

  test("[PS9] being stopped overrides an exit code of 0", async () => {
    const end = await stopWhenReady(shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done"));
    expect(end).toMatchObject({ kind: "stopped", reason: "a person cancelled the run" });
  });

  test("[PS9] the first reason stands, and a stop after the end changes nothing", async () => {
    const running = supervise(shell("exec sleep 300"));
    running.stop("first");
    running.stop("second");
    expect(await running.ended).toMatchObject({ kind: "stopped", reason: "first" });

    const over = supervise(shell("exit 0"));
    expect(await over.ended).toMatchObject({ kind: "exited" });
    over.stop("too late");
    expect(await over.ended).toMatchObject({ kind: "exited" });
  });
});

describe("strays", () => {
  test.skipIf(!hasProc)("[PS5] a tool in a session of its own is killed when the program is stopped", async () => {
    const pidFile = freshFile("pid");
    const running = supervise(shell(`${inOwnSession(pidFile, 'trap "" TERM; sleep 300; :')} wait`));
    const tool = await identityIn(pidFile);
    running.stop("enough");
    const end = await running.ended;
    expect(end).toMatchObject({ kind: "stopped", straysLeft: 0 });
    expect(end.strays).toBeGreaterThan(0);
    expect(isAlive(tool)).toBe(false);
  });

  test.skipIf(!hasProc)(
    "[PS5] a tool that wiped its environment is killed on stop: it was seen as a descendant",
    async () => {
      const pidFile = freshFile("pid");
      const running = supervise(shell(`${inOwnSession(pidFile, "exec sleep 300", "env -i")} wait`));
      const tool = await identityIn(pidFile);
      running.stop("enough");
      expect(await running.ended).toMatchObject({ kind: "stopped", strays: 1 });
      expect(isAlive(tool)).toBe(false);
    },
  );

  test.skipIf(!hasProc)("[PS5] a server left in a session of its own is killed after a normal end", async () => {
    const pidFile = freshFile("pid");
    const running = supervise(
      shell(`(${inOwnSession(pidFile, "exec sleep 300")}) >/dev/null 2>&1; ${untilThere(`${pidFile}.seen`)} exit 0`),
    );
    const server = await identityIn(pidFile);
    writeFileSync(`${pidFile}.seen`, "1");
    expect(await running.ended).toMatchObject({ kind: "exited", code: 0, strays: 1, straysLeft: 0 });
    expect(isAlive(server)).toBe(false);
  });

  test("[PS5] a background process in the same group is killed after a normal end, marked or not", async () => {
    const pidFile = freshFile("pid");
    const running = supervise(
      shell(`env -i sleep 300 >/dev/null 2>&1 & echo $! > ${pidFile}; ${untilThere(`${pidFile}.seen`)}`),
    );
    const left = await identityIn(pidFile);
    writeFileSync(`${pidFile}.seen`, "1");
    expect(await running.ended).toMatchObject({ kind: "exited", code: 0, strays: 1 });
    expect(isAlive(left)).toBe(false);
  });
});
