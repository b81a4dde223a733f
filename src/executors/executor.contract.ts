// The contract of executors: what every executor promises, shown on real processes.

import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { freshFile, identityIn, inOwnSession, untilThere } from "../../test/support/programs.ts";
import { tempDir } from "../../test/support/repository.ts";
import { rounds } from "../../test/support/rounds.ts";
import { until } from "../../test/support/until.ts";
import { isAlive } from "../system/process/identity.ts";
import { findMarked, type MarkedProcess } from "../system/process/strays.ts";
import { attemptMarker, type ExecutionEnd, type Executor, type ExecutorCall } from "./executor.ts";

/** Makes executors that do what a test needs; every implementation has its own way to say it. */
export interface Maker {
  /** Its agent runs this shell text, and says what the shell prints. */
  shell(text: string): Executor;
  /** Its agent repeats its prompt. */
  echo(): Executor;
  /** Its program is not installed. */
  absent(): Executor;
  /** For a program that prints events: what its agent said, from what the program has printed so far. */
  readonly decode?: (stdout: string) => string;
}

export function describeExecutor(name: string, make: () => Maker): void {
  describe(`executor ${name}`, () => {
    let maker: Maker;
    beforeAll(() => {
      maker = make();
    });
    const run = (text: string, changes: Partial<ExecutorCall> = {}) => perform(maker.shell(text), changes);

    test("[EX1] the prompt arrives on stdin, whole, and stdin is then closed", async () => {
      const prompt = `Straße 🐾 "quoted" $HOME\n${"x".repeat(300_000)}\nthe end`;
      const end = await perform(maker.echo(), { prompt });
      expect(end.outcome).toBe("ran");
      expect(end.text.trimEnd()).toBe(prompt);
    });

    test("[EX1] a program that reads no prompt is none the worse for it", async () => {
      expect(await run("exec < /dev/null; echo fine", { prompt: "x".repeat(1_000_000) })).toMatchObject({
        outcome: "ran",
        text: "fine\n",
      });
    });

    test("[EX2] the working directory is the workspace", async () => {
      const cwd = realpathSync(tempDir());
      expect((await run("pwd -P", { cwd })).text).toBe(`${cwd}\n`);
    });

    test("[EX3] the environment is an allow-list, what the call gives, and the marker; nothing of ours leaks", async () => {
      process.env["PAWL_TEST_SECRET"] = "hunter2";
      const given = { PAWL_STEP: "work", PAWL_ATTEMPT: "1", PAWL_STORY: "US-001" };
      const end = await run("env", { env: given, attempt: "at-42" });
      delete process.env["PAWL_TEST_SECRET"];
      expect(end.text).toContain("PAWL_STORY=US-001\n");
      expect(end.text).toContain(`${attemptMarker}=at-42\n`);
      expect(end.text).toContain("NO_COLOR=1\n");
      expect(end.text).not.toContain("hunter2");
      const ours = end.text.split("\n").filter((line) => line.startsWith("PAWL_"));
      const names = ours.map((line) => line.slice(0, line.indexOf("=")));
      expect(new Set(names)).toEqual(new Set([...Object.keys(given), attemptMarker]));
    });

    test("[EX4] what it prints is streamed as it comes, from both streams", async () => {
      const flag = freshFile("go");
      const heard = { stdout: "", stderr: "" };
      const execution = maker
        .shell(`echo one; echo two >&2; while [ ! -e ${flag} ]; do sleep 0.05; done; echo three`)
        .start(
          callOf({
            onOutput: (stream, chunk) => {
              heard[stream] += Buffer.from(chunk).toString();
            },
          }),
        );
      const decode = maker.decode ?? ((stdout: string) => stdout);
      await expect.poll(() => `${decode(heard.stdout)}${heard.stderr}`).toBe("one\ntwo\n");
      await perform(maker.shell(`touch ${flag}`));
      expect(await execution.ended).toMatchObject({ outcome: "ran", text: "one\nthree\n" });
      expect({ ...heard, stdout: decode(heard.stdout) }).toEqual({ stdout: "one\nthree\n", stderr: "two\n" });
    });

    test("[EX5] exit code 0 means that it ran; any other that it failed, with the reason", async () => {
      expect(await run("echo STATUS: done")).toMatchObject({ outcome: "ran", text: "STATUS: done\n" });
      const failed = await run("echo STATUS: done; echo 'no such model' >&2; exit 3");
      expect(failed).toMatchObject({ outcome: "failed", text: "STATUS: done\n" });
      expect(failed).toHaveProperty("why", expect.stringMatching(/^exit code 3: no such model(?: \(.+\))?$/));
    });

    test("[EX6] killed from outside has failed as `killed`: nothing was decided", async () => {
      const attempt = `at-${randomUUID()}`;
      const execution = maker.shell("echo begun; sleep 600").start(callOf({ attempt }));
      const [leader] = await until(() => marked(attempt));
      process.kill(leader?.pid ?? 0, "SIGKILL");
      const end = await execution.ended;
      expect(end).toMatchObject({ outcome: "failed", kind: "killed" });
      expect(end).toHaveProperty("why", expect.stringContaining("SIGKILL"));
    });

    test("[EX7] at its time limit it is stopped, however much it prints", async () => {
      const end = await run("while :; do echo busy; sleep 0.05; done", { wallMs: 1_200 });
      expect(end).toMatchObject({ outcome: "timed_out", why: expect.stringContaining("time limit") });
    });

    test("[EX8] when it has printed nothing for its quiet limit it is stopped; a byte now and then keeps it going", async () => {
      // Both are tried again: on a machine that holds the program up for longer than the limit, it is rightly stopped.
      const quiet = { outcome: "timed_out", why: expect.stringContaining("quiet"), text: "begun\n" };
      await expect.poll(() => run("echo begun; sleep 600", { quietMs: 1_200 })).toMatchObject(quiet);
      const chatty = "for i in 1 2 3 4 5 6; do sleep 0.3; echo . >&2; done";
      const chattyEnd = async () => (await run(chatty, { quietMs: 1_200 })).outcome;
      await expect.poll(chattyEnd).toBe("ran");
    });

    test("[EX9] what was stopped is cancelled, whatever it then says or returns", async () => {
      const execution = maker
        .shell("trap 'echo STATUS: done; exit 0' TERM; echo begun; while :; do sleep 0.05; done")
        .start(callOf());
      await execution.started;
      await sleep(600);
      execution.stop("the run was cancelled");
      execution.stop("a second reason");
      expect(await execution.ended).toMatchObject({ outcome: "cancelled", why: "the run was cancelled" });
    });

    test("[EX9] one that does not want to go is killed", async () => {
      const execution = maker.shell("trap '' TERM INT HUP; while :; do sleep 0.05; done").start(callOf());
      await sleep(400);
      execution.stop("enough");
      expect(await execution.ended).toMatchObject({ outcome: "cancelled" });
    });

    test("[EX10] a program that cannot be started is an outcome with the reason, and is known to be missing before", async () => {
      const executor = maker.absent();
      expect(await executor.missing()).toMatchObject({ what: expect.any(String), hint: expect.any(String) });
      expect(await maker.echo().missing()).toBeNull();
      const end = await perform(executor);
      expect(end).toMatchObject({
        outcome: "failed",
        why: expect.stringMatching(/^[^\n]*(could not be started|cannot be read)[^\n]*$/),
      });
      const gone = await perform(maker.shell("pwd"), { cwd: join(tempDir(), "nowhere") });
      expect(gone).toMatchObject({ outcome: "failed", why: expect.stringContaining("does not exist") });
    });

    test("[EX11] what it started is ended with it, also after a normal end and in a session of its own", async () => {
      const [stray, background] = [freshFile("stray"), freshFile("background")];
      const inBackground = `sh -c 'echo $$ > ${background}; exec sleep 600' &`;
      const text = `${inOwnSession(stray, "exec sleep 600")} ${inBackground} ${untilThere(background)} echo fine; sleep 0.3`;
      const ending = perform(maker.shell(text));
      const strays = await Promise.all([identityIn(stray), identityIn(background)]);
      const end = await ending;
      expect(end).toMatchObject({ outcome: "ran", text: "fine\n" });
      expect(strays.map(isAlive)).toEqual([false, false]);
      expect(end.notes.join()).toContain("outlived the agent");
    });

    const megabytes = rounds({ usual: 150, all: 500 });
    test(`[EX12] ${megabytes} MB of output take little memory; its end is kept, and of plain text its beginning`, async () => {
      let bytes = 0;
      const before = process.memoryUsage.rss();
      let peak = before;
      const end = await run(
        `echo first; yes 0123456789abcdef0123456789abcdef | head -c ${megabytes}000000; echo; echo STATUS: done`,
        {
          onOutput: (_stream, chunk) => {
            bytes += chunk.length;
            peak = Math.max(peak, process.memoryUsage.rss());
          },
        },
      );
      expect(end.outcome).toBe("ran");
      const printed = megabytes * 1_000_000 + "first\n\nSTATUS: done\n".length;
      // Events add text around it, and only the end of an answer counts.
      const isWhole = maker.decode ? bytes > printed : bytes === printed && end.text.startsWith("first\n");
      expect(isWhole).toBe(true);
      expect(end.text.endsWith("STATUS: done\n")).toBe(true);
      expect(end.text.length).toBeLessThan(5_000_000);
      // Parsing events makes garbage that is collected late; it does not grow with the output.
      expect((peak - before) / 1e6).toBeLessThan(maker.decode ? 300 : 100);
    });

    test("[EX13] NUL bytes and invalid UTF-8 do no harm: the text is valid, the stream is as it was", async () => {
      const chunks: Buffer[] = [];
      const end = await run("printf 'a\\000b\\377\\376c\\nSTATUS: done\\n'", {
        onOutput: (_stream, chunk) => void chunks.push(Buffer.from(chunk)),
      });
      expect(end.text).toBe("ab\ufffd\ufffdc\nSTATUS: done\n");
      expect(end.text.isWellFormed()).toBe(true);
      const raw = Buffer.concat(chunks);
      // A program that prints events has decoded the bytes itself.
      const streamed = maker.decode ? "a\0b\ufffd\ufffdc\nSTATUS: done\n" : "a\0b\xff\xfec\nSTATUS: done\n";
      expect(maker.decode?.(raw.toString()) ?? raw.toString("latin1")).toBe(streamed);
    });

    test("[EX14] a log that cannot be written does not end the agent; the result says that it is not complete", async () => {
      const end = await run("echo one; sleep 0.2; echo STATUS: done", {
        onOutput: () => Promise.reject(new Error("no space left")),
      });
      expect(end).toMatchObject({ outcome: "ran", text: "one\nSTATUS: done\n" });
      expect(end.notes.join()).toContain("no space left");
    });
  });
}

function callOf(changes: Partial<ExecutorCall> = {}): ExecutorCall {
  return {
    prompt: "do it",
    cwd: tempDir(),
    env: { PAWL_STEP: "work", PAWL_ATTEMPT: "1" },
    attempt: `at-${randomUUID()}`,
    wallMs: 60_000,
    quietMs: null,
    onOutput: () => undefined,
    ...changes,
  };
}

/** The processes of an attempt; false while there are none. */
async function marked(attempt: string): Promise<readonly MarkedProcess[] | false> {
  const found = await findMarked(attemptMarker, attempt);
  return found.length > 0 && found;
}

async function perform(executor: Executor, changes: Partial<ExecutorCall> = {}): Promise<ExecutionEnd> {
  return await executor.start(callOf(changes)).ended;
}
