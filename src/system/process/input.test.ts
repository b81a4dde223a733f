import { expect, test } from "vitest";
import { callOf, shell } from "../../../test/support/programs.ts";
import type { InputPipe } from "./call.ts";
import { supervise } from "./supervise.ts";

test("[EX60] a program can be talked to: what is written over time arrives, and stdin ends when it is closed", async () => {
  const held: { pipe?: InputPipe } = {};
  let printed = "";
  const running = supervise(
    callOf(["cat"], {
      input: (pipe) => {
        held.pipe = pipe;
        void pipe.write("one\n");
      },
      onOutput: (_, chunk) => void (printed += Buffer.from(chunk).toString()),
    }),
  );
  await expect.poll(() => printed).toBe("one\n");
  await held.pipe?.write("two\n");
  await expect.poll(() => printed).toBe("one\ntwo\n");
  held.pipe?.close();
  expect(await running.ended).toMatchObject({ kind: "exited", code: 0, stdout: "one\ntwo\n" });
  await held.pipe?.write("too late\n");
});

test("[EX60] a program that closes its end, or never starts, does not keep the writer waiting", async () => {
  const writing: Promise<void>[] = [];
  const input = (pipe: InputPipe) => void writing.push(pipe.write("x".repeat(2_000_000)));
  expect(await supervise(shell("exec < /dev/null; sleep 0.1", { input })).ended).toMatchObject({ code: 0 });
  await Promise.all(writing);
  expect(writing).toHaveLength(1);
  let isCalled = false;
  const absent = supervise(callOf(["no-such-agent"], { input: () => void (isCalled = true) }));
  expect(await absent.ended).toMatchObject({ kind: "not_started" });
  expect(isCalled).toBe(false);
});

test("[EX66] before the first signal a program is told in its own words, and is given 3 s at most", async () => {
  const trap = "trap 'echo term; exit 0' TERM; echo begun; while :; do sleep 0.05; done";
  const stopped = async (onHalt: () => Promise<void>, script = trap) => {
    let begun = () => {};
    const ready = new Promise<void>((resolve) => (begun = resolve));
    const running = supervise(shell(script, { onHalt, onOutput: () => begun() }));
    await ready;
    const since = performance.now();
    running.stop("enough");
    return { end: await running.ended, ms: performance.now() - since };
  };
  let told = 0;
  const quick = await stopped(async () => void (told += 1));
  expect(quick.end).toMatchObject({ kind: "stopped", reason: "enough", stdout: "begun\nterm\n" });
  expect(told).toBe(1);
  const failing = await stopped(() => Promise.reject(new Error("broken")));
  expect(failing.end).toMatchObject({ kind: "stopped", stdout: "begun\nterm\n" });
  const never = await stopped(() => new Promise(() => undefined));
  expect(never.end).toMatchObject({ kind: "stopped", stdout: "begun\nterm\n" });
  expect(never.ms).toBeGreaterThan(2_900);
  const leaves = await stopped(() => new Promise(() => undefined), "echo begun; sleep 0.3");
  expect(leaves.end).toMatchObject({ kind: "stopped", stdout: "begun\n" });
  expect(leaves.ms).toBeLessThan(never.ms);
});
