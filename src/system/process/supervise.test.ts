import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { callOf, freshFile, identityIn, inOwnSession, shell } from "../../../test/support/programs.ts";
import { systemClock } from "../clock.ts";
import { isAlive } from "./identity.ts";
import { supervise } from "./supervise.ts";
import { hasProc } from "./table.ts";

describe("input", () => {
  test("[PS1] the prompt arrives whole on stdin, which is then closed", async () => {
    const prompt = randomBytes(300_000).toString("hex");
    const end = await supervise(callOf(["cat"], { input: prompt, limits: { captureBytes: 1_000_000 } })).ended;
    expect(end).toMatchObject({ kind: "exited", code: 0, stdoutBytes: prompt.length });
    expect(end.stdout === prompt).toBe(true);
  });

  test("[PS1] a program that reads stdin although there is no prompt is not left waiting", async () => {
    expect(await supervise(callOf(["cat"])).ended).toMatchObject({ kind: "exited", code: 0, stdout: "" });
  });

  test("[PS1] a program may exit without reading a prompt that is larger than the pipe", async () => {
    const end = await supervise(shell("echo no need", { input: "x".repeat(2_000_000) })).ended;
    expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "no need\n" });
  });
});

describe("end", () => {
  test("[PS11] the exit code and both streams are reported", async () => {
    const running = supervise(shell("echo out; echo err >&2; exit 7"));
    await running.started;
    expect(running.pid).toBeGreaterThan(0);
    expect(await running.ended).toMatchObject({
      kind: "exited",
      code: 7,
      stdout: "out\n",
      stderr: "err\n",
      stdoutBytes: 4,
      stderrBytes: 4,
      strays: 0,
      straysLeft: 0,
      sinkError: null,
    });
  });

  test("[PS11] a program that somebody else killed is told from one that exited", async () => {
    expect(await supervise(shell("kill -9 $$")).ended).toMatchObject({ kind: "signalled", signal: "SIGKILL" });
  });

  test.skipIf(!hasProc)(
    "[PS12] an orphan that holds the pipe and cannot be found delays the end by 2 s at most",
    async () => {
      const pidFile = freshFile("pid");
      const script = `${inOwnSession(pidFile, "exec sleep 300", "env -i")} echo done`;
      const end = await supervise(shell(script)).ended;
      const orphan = await identityIn(pidFile);
      process.kill(orphan.pid, "SIGKILL");
      expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "done\n", strays: 0 });
      expect(end.durationMs).toBeGreaterThan(1_800);
      expect(end.durationMs).toBeLessThan(60_000);
    },
  );

  test.skipIf(!hasProc)("[PS12] an orphan that holds the pipe and is found is ended", async () => {
    const pidFile = freshFile("pid");
    const end = await supervise(shell(`${inOwnSession(pidFile, "exec sleep 300")} echo done`)).ended;
    expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "done\n", strays: 1 });
  });
});

describe("output", () => {
  test("[PS6] 200 MB of output pass through the sink whole while memory stays flat", async () => {
    const totalBytes = 200_000_000;
    let delivered = 0;
    let highest = 0;
    const before = process.memoryUsage.rss();
    const end = await supervise(
      shell(`echo begin; head -c ${totalBytes} /dev/zero | tr '\\0' x; echo end`, {
        onOutput: (_, chunk) => {
          delivered += chunk.length;
          highest = Math.max(highest, process.memoryUsage.rss());
        },
      }),
    ).ended;
    expect(end.kind).toBe("exited");
    expect(delivered).toBe(totalBytes + 10);
    expect(end.stdoutBytes).toBe(delivered);
    expect(end.stdout.length).toBeLessThan(66_000);
    expect(end.stdout).toMatch(/^begin\nx+\n\[… \d+ bytes left out …\]\nx+end\n$/);
    expect((highest - before) / 1e6).toBeLessThan(100);
  });

  test("[PS6] a slow sink gets every byte, in order and one at a time, even long after the program exited", async () => {
    const parts: string[] = [];
    let busy = 0;
    const end = await supervise(
      shell("for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; head -c 100000 /dev/zero | tr '\\0' x", {
        onOutput: async (_, chunk) => {
          expect(++busy).toBe(1);
          await systemClock.sleep(parts.length === 0 ? 2_500 : 50);
          busy -= 1;
          parts.push(Buffer.from(chunk).toString());
        },
      }),
    ).ended;
    expect(end).toMatchObject({ kind: "exited", code: 0, sinkError: null });
    expect(parts.join("") === `1\n2\n3\n4\n5\n${"x".repeat(100_000)}`).toBe(true);
  });

  test("[PS6] a sink that fails does not end the program; the end tells", async () => {
    const onOutput = () => Promise.reject(new Error("disk full"));
    const end = await supervise(shell("echo one; sleep 0.05; echo two", { onOutput })).ended;
    expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "one\ntwo\n", sinkError: "disk full" });
  });

  test.each([
    ["quiet", { quietMs: 200 }],
    ["wall", { wallMs: 400 }],
  ] as const)("[PS15] a stop of our own for longer than the %s limit is no fault of the program", async (_, limits) => {
    const call = shell("for i in 1 2 3 4 5 6; do echo $i; sleep 0.05; done");
    const running = supervise({ ...call, limits: { ...call.limits, ...limits } });
    // As if this process were stopped: nothing of it runs, and then its timers are due first.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    expect(await running.ended).toMatchObject({ kind: "exited", code: 0, stdout: "1\n2\n3\n4\n5\n6\n" });
  });

  test("[PS6] of stderr the first and the last 8 KiB are kept", async () => {
    const end = await supervise(shell("head -c 100000 /dev/zero | tr '\\0' e >&2")).ended;
    expect(end.stderrBytes).toBe(100_000);
    expect(end.stderr).toBe(`${"e".repeat(8192)}\n[… ${100_000 - 16_384} bytes left out …]\n${"e".repeat(8192)}`);
  });

  test("[PS13] NUL bytes and invalid UTF-8 become valid text", async () => {
    const end = await supervise(shell("printf 'a\\000b\\377c \\303\\244'")).ended;
    expect(end.stdout).toBe("ab\ufffdc ä");
  });
});

describe("start", () => {
  const failing = async (...call: Parameters<typeof callOf>) => {
    const running = supervise(callOf(...call));
    expect(running.pid).toBe(null);
    running.stop("too late");
    await running.started;
    return running.ended;
  };

  test("[PS8] a program that is not installed is named", async () => {
    expect(await failing(["no-such-agent"])).toMatchObject({
      kind: "not_started",
      code: "ENOENT",
      message: "cannot start no-such-agent: it is not on PATH",
      stdout: "",
    });
  });

  test("[PS8] a working directory that does not exist is named, not the program", async () => {
    expect(await failing(["cat"], { cwd: "/no/such/place" })).toMatchObject({
      kind: "not_started",
      code: "NO_DIRECTORY",
      message: "cannot start cat: the directory /no/such/place does not exist",
    });
  });

  test("[PS8] a script with a missing interpreter, or without permission, says so", async () => {
    const script = freshFile("agent");
    writeFileSync(script, "#!/no/such/interpreter\n");
    expect(await failing([script])).toMatchObject({ code: "EACCES", message: expect.stringContaining("permission") });
    chmodSync(script, 0o755);
    expect(await failing([script])).toMatchObject({ code: "ENOENT", message: expect.stringContaining("interpreter") });
  });

  test("[PS8] arguments that are too long, empty or impossible are an outcome", async () => {
    expect(await failing(["echo", "x".repeat(10_000_000)])).toMatchObject({ kind: "not_started", code: "E2BIG" });
    expect(await failing(["echo", "a\0b"])).toMatchObject({ kind: "not_started" });
    expect(await failing([""])).toMatchObject({ kind: "not_started" });
    expect(await failing(["echo"], { env: { A: "a\0b" } })).toMatchObject({ kind: "not_started" });
  });

  test("[PS7] the program sees the given environment and the marker, and nothing else of ours", async () => {
    const call = callOf(["/usr/bin/env"], { env: { GREETING: "hello" } });
    const end = await supervise(call).ended;
    expect(end.stdout.trim().split("\n").toSorted()).toEqual(["GREETING=hello", `PAWL_TEST=${call.marker.value}`]);
  });

  test("[PS10] a running program can be recognised later", async () => {
    const running = supervise(callOf(["sleep", "300"]));
    expect(running.identity !== null && isAlive(running.identity)).toBe(true);
    running.stop("enough");
    await running.ended;
    expect(running.identity !== null && isAlive(running.identity)).toBe(false);
  });
});
