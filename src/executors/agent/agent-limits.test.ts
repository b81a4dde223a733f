// Agents that do not end as they should: each ends in bounded time, as a clear outcome, and nothing of it is left.

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { freshFile, identityIn, inOwnSession } from "../../../test/support/programs.ts";
import { callWith, performWith, printing, stubAgent } from "../../../test/support/stub-agents.ts";
import { transcripts } from "../../../test/support/transcripts.ts";
import { isAlive } from "../../system/process/identity.ts";
import { findMarked } from "../../system/process/strays.ts";
import { claude } from "../claude/claude.ts";
import { codex } from "../codex/codex.ts";
import { attemptMarker, type ExecutionEnd, type Executor, type ExecutorCall } from "../executor.ts";
import { gemini } from "../gemini/gemini.ts";
import { opencode } from "../opencode/opencode.ts";

const claudeDone = transcripts["claude"] ?? [];
const hang = "while :; do sleep 0.05; done";

/** Tries again: a machine may hold a program up for longer than its limit, which then ends it rightly. */
async function heldUpAtMost(perform: () => Promise<ExecutionEnd>, expected: object): Promise<void> {
  await expect.poll(perform).toMatchObject(expected);
}

/** Performs it, and then nothing may carry its marker. */
async function cleanly(executor: Executor, changes: Partial<ExecutorCall> = {}): Promise<ExecutionEnd> {
  const attempt = `at-${randomUUID()}`;
  const end = await performWith(executor, { attempt, ...changes });
  expect(await findMarked(attemptMarker, attempt)).toEqual([]);
  return end;
}

describe("[EX36] an agent that prints nothing at all did not start", () => {
  test("it is ended at its start limit, and says how to look into it", async () => {
    const end = await cleanly(stubAgent(claude, hang, { startMs: 400 }));
    expect(end).toMatchObject({
      outcome: "failed",
      why: "it did not start: nothing was printed within 0.4 s (try `pawl executor test claude`)",
    });
  });

  test("a byte on stderr is a start", async () => {
    const text = `echo starting >&2; sleep 1.8; ${printing(claudeDone)}`;
    await heldUpAtMost(() => cleanly(stubAgent(claude, text, { startMs: 1_500 })), { outcome: "ran" });
  });

  test("a question on the terminal is not answered: there is none, and stdin has ended", async () => {
    const text = `printf 'Log in at example.com and paste the code: '; read -r code 2> /dev/null < /dev/tty || read -r code; ${hang}`;
    const asked = { outcome: "timed_out", why: expect.stringMatching(/gone quiet: .*paste the code:$/) };
    await heldUpAtMost(() => cleanly(stubAgent(claude, text), { quietMs: 2_000, prompt: "" }), asked);
  });
});

describe("[EX37] an agent that does not leave after its last event", () => {
  test("is ended, and counts as what it said", async () => {
    const end = await cleanly(stubAgent(claude, `${printing(claudeDone)}${hang}`, { leaveMs: 300 }));
    expect(end).toMatchObject({ outcome: "ran", text: "STATUS: done", usage: { costUsd: 0.3 } });
    expect(end.notes).toContain("it did not exit within 0.3 s of its last event, so Pawl ended it");
    const failure = { type: "result", is_error: true, api_error_status: 401, result: "Invalid API key" };
    const failed = await cleanly(stubAgent(claude, `${printing([failure])}${hang}`, { leaveMs: 300 }));
    expect(failed).toMatchObject({ outcome: "blocked", kind: "auth" });
  });

  test("is not ended when that was not its end after all", async () => {
    const lines = transcripts["opencode"] ?? [];
    const text = `${printing(lines)}${printing(lines.slice(0, 1))} sleep 0.8; ${printing(lines.slice(-2))}`;
    await heldUpAtMost(() => cleanly(stubAgent(opencode, text, { leaveMs: 300 })), { outcome: "ran", notes: [] });
  });

  test("is not what has left in time, with an exit code that says otherwise, while its log was still being written", async () => {
    const leaving = async () => {
      const written = Promise.withResolvers<void>();
      setTimeout(written.resolve, 1_600);
      return await cleanly(stubAgent(claude, `${printing(claudeDone)}exit 7`, { leaveMs: 1_000 }), {
        onOutput: () => written.promise,
      });
    };
    await heldUpAtMost(leaving, { outcome: "failed", kind: "exit", notes: [] });
  });

  test("ignores SIGTERM, has left processes in sessions of their own: all are gone", async () => {
    const stray = freshFile("stray");
    const text = `trap '' TERM INT HUP; ${inOwnSession(stray, 'trap "" TERM; exec sleep 600')} ${printing(claudeDone)}${hang}`;
    const ending = cleanly(stubAgent(claude, text, { leaveMs: 300, graceMs: 300 }));
    const left = await identityIn(stray);
    expect((await ending).outcome).toBe("ran");
    expect(isAlive(left)).toBe(false);
  });
});

const turn = (number: number) => [
  { type: "item.started", item: { id: `i-${number}`, type: "command_execution", command: "ls" } },
  { type: "item.completed", item: { id: `i-${number}`, type: "command_execution", status: "completed" } },
];
const says = { type: "item.completed", item: { id: "i-9", type: "agent_message", text: "Done." } };

describe("[EX38] limits that an agent does not keep itself are kept for it", () => {
  test("turns: what the model says or calls before it is told a result", async () => {
    const endless = `${printing([...turn(1), says, ...turn(2)])} sleep 0.2; ${printing(turn(3))}${hang}`;
    const end = await cleanly(stubAgent(codex, endless, { maxTurns: 2 }));
    expect(end).toMatchObject({
      outcome: "failed",
      kind: "max_turns",
      why: "it was stopped after 2 turns (raise executors.codex.max_turns, or make the step smaller)",
    });
    const done = [...turn(1), says, ...turn(2), { type: "turn.completed", usage: {} }];
    expect(await cleanly(stubAgent(codex, printing(done), { maxTurns: 2 }))).toMatchObject({ outcome: "ran" });
  });

  test("money, as it is told; what is done is done", async () => {
    const lines = transcripts["opencode"] ?? [];
    const end = await cleanly(stubAgent(opencode, `${printing(lines.slice(0, 3))}${hang}`, { maxUsd: 0.1 }));
    expect(end).toMatchObject({ outcome: "failed", kind: "max_budget", usage: { costUsd: 0.15 } });
    expect(await cleanly(stubAgent(opencode, printing(lines), { maxUsd: 0.2 }))).toMatchObject({ outcome: "ran" });
  });
});

describe("[EX39] what waiting does not mend is not waited for", () => {
  test("a wrong key is not tried again", async () => {
    const retry = {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      error_status: 401,
      error: "authentication_failed",
    };
    const end = await cleanly(stubAgent(claude, `${printing([...claudeDone.slice(0, 1), retry])}${hang}`));
    expect(end).toMatchObject({ outcome: "blocked", kind: "auth", session: "s-1" });
    expect(end).toHaveProperty("why", expect.stringContaining("run `claude` and log in"));
  });

  test("a rate limit is left to the agent", async () => {
    const retry = { type: "system", subtype: "api_retry", attempt: 1, error_status: 429, error: "rate_limit" };
    expect(await cleanly(stubAgent(claude, printing([retry, ...claudeDone])))).toMatchObject({ outcome: "ran" });
  });

  const retrying = (words: string) =>
    printing([{ type: "error", message: `Reconnecting... ${words}` }]).replace(/\n$/, "\nsleep 0.1\n");
  const noNetwork = "waiting for network (Connection failed: error sending request)";

  test("[EX92] who only tries again, for ever, is ended, and no attempt is counted", async () => {
    const loop = `while :; do\n${retrying(noNetwork)}done`;
    const end = await cleanly(stubAgent(codex, loop, { retryMs: 500, quietMs: 5_000 }));
    expect(end).toMatchObject({ outcome: "rate_limited", kind: "network", retryAt: null });
    expect(end).toHaveProperty("why", expect.stringMatching(/^it did nothing but retry for \d+ s: Reconnecting/));
  });

  test("[EX92] one that gets on meanwhile is left alone, however long it takes", async () => {
    const [call, result] = turn(1);
    const step = `${retrying(noNetwork).repeat(4)}${printing([call ?? {}, result ?? {}])}`;
    const text = `${step.repeat(4)}${printing([{ type: "turn.completed", usage: {} }])}`;
    expect(await cleanly(stubAgent(codex, text, { retryMs: 700 }))).toMatchObject({ outcome: "ran" });
  });

  test("a prompt that stays too long, however often it is shortened", async () => {
    const overflow = {
      type: "error",
      error: { name: "ContextOverflowError", data: { message: "prompt is too long" } },
    };
    const loop = `while :; do ${printing([overflow])}\nsleep 0.05; done`;
    expect(await cleanly(stubAgent(opencode, loop))).toMatchObject({ outcome: "blocked", kind: "context" });
  });
});

describe("[EX40] who was told to stop was stopped", () => {
  test("whatever it says then, and whatever we notice meanwhile", async () => {
    const retry = { type: "system", subtype: "api_retry", error_status: 401, error: "authentication_failed" };
    const text = `bye() {\n${printing([retry, ...claudeDone])}\nexit 0\n}\ntrap bye TERM; echo begun; ${hang}`;
    const heard = Promise.withResolvers<void>();
    const executor = stubAgent(claude, text, { leaveMs: 10 });
    const execution = executor.start(callWith({ onOutput: () => heard.resolve() }));
    await heard.promise;
    execution.stop("the run was cancelled");
    const end = await execution.ended;
    expect(end).toMatchObject({ outcome: "cancelled", why: "the run was cancelled", text: "STATUS: done" });
  });

  test("a stop after the last event of one that leaves by itself changes nothing", async () => {
    const execution = stubAgent(claude, printing(claudeDone)).start(callWith());
    const end = await execution.ended;
    execution.stop("too late");
    expect(end.outcome).toBe("ran");
  });
});

test("[EX12] 200 MB of one line, and of lines that are no events, are read past", async () => {
  const flood = "yes 0123456789abcdef | head -c 100000000; head -c 100000000 /dev/zero | tr '\\0' x; echo";
  const end = await cleanly(stubAgent(claude, `${flood}; ${printing(claudeDone)}`));
  expect(end).toMatchObject({ outcome: "ran", text: "STATUS: done" });
});

test("[EX14] a log that fails does not cost the events after it", async () => {
  const text = `${printing(claudeDone.slice(0, 2))} sleep 0.2; ${printing(claudeDone.slice(2))}`;
  const end = await cleanly(stubAgent(claude, text), { onOutput: () => Promise.reject(new Error("no space left")) });
  expect(end).toMatchObject({
    outcome: "ran",
    text: "STATUS: done",
    notes: ["the log is not complete: no space left"],
  });
});

test("[EX14] a log that has failed once is left alone", async () => {
  let chunks = 0;
  const refusing = () => {
    chunks += 1;
    return Promise.reject(new Error("no space left"));
  };
  const text = `echo one; sleep 0.2; echo two; sleep 0.2; echo three >&2; ${printing(claudeDone)}`;
  expect(await cleanly(stubAgent(claude, text), { onOutput: refusing })).toMatchObject({ outcome: "ran" });
  expect(chunks).toBe(1);
});

test("[EX4] the log has both streams, as they were printed", async () => {
  const heard = { stdout: "", stderr: "" };
  await cleanly(stubAgent(gemini, 'echo noise; echo \'{"type":"x"}\'; echo complaint >&2'), {
    onOutput: (stream, chunk) => {
      heard[stream] += Buffer.from(chunk).toString();
    },
  });
  expect(heard).toEqual({ stdout: 'noise\n{"type":"x"}\n', stderr: "complaint\n" });
});
