import { expect, test } from "vitest";
import { describeExecutor } from "../executor.contract.ts";
import { commandExecutor } from "./command.ts";

const executor = (...command: [string, ...string[]]) =>
  commandExecutor({ name: "command", command, env: [], wallMs: 60_000, quietMs: null, graceMs: 1_000 });

describeExecutor("command", () => ({
  shell: (text) => executor("sh", "-c", text),
  echo: () => executor("cat"),
  absent: () => executor("no-such-program-anywhere"),
}));

test("[EX10] a program that is not on PATH is missing, with a hint; one that is there is not", async () => {
  expect(await executor("no-such-program-anywhere").missing()).toMatchObject({
    what: expect.stringContaining("no-such-program-anywhere"),
    hint: expect.stringContaining("--executor"),
  });
  expect(await executor("sh").missing()).toBeNull();
  expect(await executor("/bin/sh").missing()).toBeNull();
});

test("[EX3] variables that were allowed by name reach the program", async () => {
  process.env["PAWL_TEST_KEY"] = "given";
  const allowed = commandExecutor({
    name: "command",
    command: ["sh", "-c", 'echo "$PAWL_TEST_KEY"'],
    env: ["PAWL_TEST_KEY"],
    wallMs: 60_000,
    quietMs: null,
    graceMs: 1_000,
  });
  const call = {
    prompt: "",
    cwd: process.cwd(),
    env: {},
    attempt: "at-1",
    wallMs: null,
    quietMs: null,
    onOutput: () => {},
  };
  expect((await allowed.start(call).ended).text).toBe("given\n");
  delete process.env["PAWL_TEST_KEY"];
});

test("[EX7] the call's limits win over the executor's", async () => {
  const slow = executor("sleep", "600");
  const call = { prompt: "", cwd: process.cwd(), env: {}, attempt: "at-2", quietMs: null, onOutput: () => {} };
  expect((await slow.start({ ...call, wallMs: 300 }).ended).outcome).toBe("timed_out");
});
