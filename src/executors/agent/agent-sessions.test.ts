// Warm sessions, who an agent is told that it is, and signs of life that are not in its output.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { callWith, performWith, printing, stubAgent } from "../../../test/support/stub-agents.ts";
import { transcripts } from "../../../test/support/transcripts.ts";
import { noUsage, type Usage } from "../../domain/attempt.ts";
import { claude } from "../claude/claude.ts";
import { codex } from "../codex/codex.ts";
import { commandExecutor } from "../command/command.ts";
import { copilot } from "../copilot/copilot.ts";
import type { ExecutionEnd, Executor, ExecutorCall } from "../executor.ts";
import { gemini } from "../gemini/gemini.ts";
import { goose } from "../goose/goose.ts";
import { opencode } from "../opencode/opencode.ts";
import { qwen } from "../qwen/qwen.ts";
import type { AgentOptions } from "./agent-cli.ts";
import type { AgentProfile } from "./agent-profile.ts";

const linesOf = (profile: AgentProfile) => transcripts[profile.kind] ?? [];
const hang = "while :; do sleep 0.05; done";

interface Told {
  readonly args: readonly string[];
  readonly stdin: string;
  /** What a file has that its arguments or its settings name. */
  readonly file: string;
  readonly end: ExecutionEnd;
}

/** What an agent is told. */
async function tell(profile: AgentProfile, changes: Partial<ExecutorCall>): Promise<Told> {
  const dir = tempDir();
  const text = `cat > '${dir}/stdin'; for arg; do printf '%s\\0' "$arg"; done > '${dir}/args'
    for word in "$@" $(echo "$OPENCODE_CONFIG_CONTENT" | tr '"' ' '); do case "$word" in */system.md) ls -l "$word"; cat "$word";; esac; done > '${dir}/file'
    ${printing(linesOf(profile))}`;
  const end = await performWith(stubAgent(profile, text), { prompt: "Add a dark mode.", ...changes });
  const read = (name: string) => readFileSync(join(dir, name), "utf8");
  return { args: read("args").split("\0"), stdin: read("stdin"), file: read("file"), end };
}

const system = '# AGENTS.md\n\nYou are "careful".';
const before = `${system}\n\nAdd a dark mode.`;

describe("[EX70] an agent is told who it is where it has a place for that", () => {
  test.each([claude, opencode])("$kind: in a file that only its owner reads", async (profile) => {
    const { stdin, file } = await tell(profile, { system });
    expect(file).toMatch(/^-rw------- /);
    expect(file).toContain(system);
    expect(stdin).toBe("Add a dark mode.");
  });

  test("codex, qwen and goose: as one argument", async () => {
    const told = await tell(codex, { system });
    expect(told.args).toContain(`developer_instructions=${JSON.stringify(system)}`);
    expect((await tell(qwen, { system: "- be kind" })).args).toContain("--append-system-prompt=- be kind");
    const played = await tell(goose, { system });
    expect(played.args).toContain(`--system=${system}`);
    expect([told.stdin, played.stdin]).toEqual(["Add a dark mode.", "Add a dark mode."]);
  });

  test.each([gemini, copilot])("$kind: before the prompt", async (profile) => {
    const { stdin, args } = await tell(profile, { system });
    expect(stdin).toBe(before);
    expect(args.join(" ")).not.toContain("careful");
  });

  test.each([codex, qwen, goose])("$kind: before the prompt, when it is too long for an argument", async (profile) => {
    const long = "x".repeat(140_000);
    const { stdin, end } = await tell(profile, { system: long });
    expect(end.outcome).toBe("ran");
    expect(stdin).toBe(`${long}\n\nAdd a dark mode.`);
    expect((await tell(profile, { system: "a\0b" })).stdin).toBe("a\0b\n\nAdd a dark mode.");
  });

  test("a program: before the prompt; and nobody is told nothing", async () => {
    const limits = { wallMs: 60_000, quietMs: null, graceMs: 500 };
    const echo = commandExecutor({ name: "mine", command: ["cat"], env: [], ...limits });
    expect((await performWith(echo, { prompt: "do it", system })).text).toBe(`${system}\n\ndo it`);
    expect((await performWith(echo, { prompt: "do it", system: "\n" })).text).toBe("do it");
    expect((await tell(claude, { system: "" })).args).not.toContain("--append-system-prompt-file");
  });
});

const spent: Usage = { costUsd: 0.25, inputTokens: 30, cacheReadTokens: 10, outputTokens: 4 };
const warm = (session: string) => ({ resume: { session, spent } });

describe("[EX71] in a session that is gone on with", () => {
  test.each([claude, codex])(
    "$kind keeps who it was at the beginning, and is told before the prompt",
    async (profile) => {
      const { stdin, args, file } = await tell(profile, { system, ...warm("s-1") });
      expect(stdin).toBe(before);
      expect(args.join(" ") + file).not.toContain("careful");
    },
  );

  test.each([opencode, qwen])("$kind is told as ever", async (profile) => {
    expect((await tell(profile, { system, ...warm("s-1") })).stdin).toBe("Add a dark mode.");
  });
});

describe("[EX72] what a session had used before is not counted again", () => {
  const usageOf = async (profile: AgentProfile, resume: ExecutorCall["resume"]) =>
    (await performWith(stubAgent(profile, printing(linesOf(profile))), { resume: resume ?? null })).usage;

  test("claude counts on in money, codex and qwen in tokens", async () => {
    const { resume } = warm("s-1");
    const cold = await usageOf(claude, null);
    expect(cold).toMatchObject({ costUsd: 0.3, inputTokens: 35 });
    const warmed = await usageOf(claude, resume);
    expect(warmed.costUsd).toBeCloseTo(0.05, 9);
    expect({ ...warmed, costUsd: 0 }).toEqual({ ...cold, costUsd: 0 });
    expect(await usageOf(codex, null)).toMatchObject({ inputTokens: 35, cacheReadTokens: 15, outputTokens: 10 });
    expect(await usageOf(codex, resume)).toMatchObject({ inputTokens: 5, cacheReadTokens: 5, outputTokens: 6 });
    // One that began to count anew has not used less than nothing.
    const more = { session: "s-1", spent: { costUsd: 9, inputTokens: 90, cacheReadTokens: 90, outputTokens: 90 } };
    const nothing = { inputTokens: 0, cacheReadTokens: 0, outputTokens: 0 };
    expect([await usageOf(codex, more), await usageOf(claude, more)]).toMatchObject([nothing, { costUsd: 0 }]);
    const own = { session: "s-1", spent: { costUsd: 0, inputTokens: 1, outputTokens: 1 } };
    const [qwenCold, qwenWarm] = [await usageOf(qwen, null), await usageOf(qwen, own)];
    expect(qwenCold.inputTokens - qwenWarm.inputTokens).toBe(1);
  });

  test("qwen, whose input has in it what came from its cache: nothing is counted twice", async () => {
    const counting = (usage: object) => printing([...linesOf(qwen).slice(0, -1), { ...linesOf(qwen).at(-1), usage }]);
    const first = { input_tokens: 1_000, cache_read_input_tokens: 600, output_tokens: 10 };
    const { usage: spent } = await performWith(stubAgent(qwen, counting(first)));
    expect(spent).toMatchObject({ inputTokens: 400, cacheReadTokens: 600, outputTokens: 10 });
    // Of the whole session.
    const second = { input_tokens: 2_500, cache_read_input_tokens: 1_500, output_tokens: 20 };
    const { usage } = await performWith(stubAgent(qwen, counting(second)), { resume: { session: "s-1", spent } });
    expect(usage).toMatchObject({ inputTokens: 600, cacheReadTokens: 900, outputTokens: 10 });
  });

  test("copilot in the tokens of its file", async () => {
    const file = { modelMetrics: { m: { usage: { inputTokens: 70, cacheReadTokens: 30, outputTokens: 5 } } } };
    const text = `while [ "$1" != --usage-output-file ]; do shift; done; echo '${JSON.stringify(file)}' > "$2"`;
    const executor = stubAgent(copilot, `${text}\n${printing(linesOf(copilot))}`);
    const { usage } = await performWith(executor, warm("s-1"));
    expect(usage).toMatchObject({ inputTokens: 10, cacheReadTokens: 20, outputTokens: 1 });
  });

  test.each([opencode, gemini])("$kind tells this run alone", async (profile) => {
    expect(await usageOf(profile, warm("s-1").resume)).toEqual(await usageOf(profile, null));
  });

  test("an agent that begins another session without a word has used all that it tells, and a note says so", async () => {
    const end = await performWith(stubAgent(codex, printing(linesOf(codex))), warm("another"));
    expect(end).toMatchObject({ outcome: "ran", session: "s-1", usage: { inputTokens: 35, cacheReadTokens: 15 } });
    expect(end.notes).toEqual(["the session another is gone, so it started a new one"]);
  });
});

/** Says `words` when it is to go on, and works when it is not. */
function forgetful(profile: AgentProfile, words: string, options: Partial<AgentOptions> = {}): Executor {
  const lines = printing(linesOf(profile));
  const text = `case " $* " in *s-9*) ${words}\nexit 1;; esac\ncat > /dev/null\n${lines}`;
  return stubAgent(profile, text, options);
}

const noConversation = { type: "result", subtype: "error_during_execution", is_error: true, session_id: "s-9" };
const claudeGone = printing([{ ...noConversation, errors: ["No conversation found with session ID: s-9"] }]);

describe("[EX73] a session that is gone costs nobody his attempt", () => {
  test.each<readonly [AgentProfile, string]>([
    [claude, `\n${claudeGone}`],
    [codex, "echo 'Error: thread/resume failed: no rollout found for thread id s-9 (code -32600)' >&2"],
    [opencode, "printf '\\033[91mError: \\033[0mSession not found\\n' >&2"],
    [gemini, "echo 'Error resuming session: Invalid session identifier \"s-9\".' >&2"],
    [qwen, "echo 'No saved session found with ID s-9.' >&2"],
    [copilot, "echo \"Error: No session, task, or name matched 's-9'.\" >&2"],
  ])("$kind begins a new one, once, in the same execution", async (profile, words) => {
    const end = await performWith(forgetful(profile, words), warm("s-9"));
    expect(end).toMatchObject({ outcome: "ran", text: "STATUS: done", session: "s-1" });
    expect(end.notes).toEqual(["the session s-9 is gone, so it started a new one"]);
    // A new session has used nothing before.
    expect(end.usage).toEqual((await performWith(forgetful(profile, "false"))).usage);
  });

  test("it is told who it is in its own place, and gets the whole prompt", async () => {
    const dir = tempDir();
    const text = `case " $* " in *s-9*)\n${claudeGone}exit 1;; esac
      cat > '${dir}/stdin'; for arg; do case "$arg" in */system.md) cat "$arg";; esac; done > '${dir}/system'
      ${printing(linesOf(claude))}`;
    await performWith(stubAgent(claude, text), { ...warm("s-9"), system, prompt: "do it" });
    expect([readFileSync(join(dir, "stdin"), "utf8"), readFileSync(join(dir, "system"), "utf8")]).toEqual([
      "do it",
      system,
    ]);
  });

  test("another failure is not tried again, nor is one after which something was done", async () => {
    const dir = tempDir();
    const counting = `echo x >> '${dir}/runs'; exec < /dev/null`;
    const unlike = stubAgent(claude, `${counting}; echo 'Error: no such file' >&2; exit 1`);
    expect(await performWith(unlike, warm("s-9"))).toMatchObject({ outcome: "failed" });
    const [begun = {}] = linesOf(codex);
    const used = { type: "turn.failed", error: { message: "no rollout found for thread id s-9" } };
    const usage = { type: "turn.completed", usage: { input_tokens: 500, output_tokens: 1 } };
    const late = stubAgent(codex, `${counting}\n${printing([begun, usage, used])}exit 1`);
    expect(await performWith(late, warm("s-1"))).toMatchObject({ outcome: "failed" });
    const twice = stubAgent(claude, `${counting}\n${claudeGone}exit 1`);
    expect(await performWith(twice, warm("s-9"))).toMatchObject({ outcome: "failed" });
    expect(readFileSync(join(dir, "runs"), "utf8")).toBe("x\n".repeat(1 + 1 + 2));
  });

  test("it can be stopped, and its time is over, as ever", async () => {
    const begun = Promise.withResolvers<void>();
    const text = `case " $* " in *s-9*)\n${claudeGone}exit 1;; esac\necho begun; ${hang}`;
    const execution = stubAgent(claude, text).start(
      callWith({
        ...warm("s-9"),
        onOutput: (_name, chunk) => {
          if (Buffer.from(chunk).toString().includes("begun")) begun.resolve();
        },
      }),
    );
    await begun.promise;
    execution.stop("the run was cancelled");
    expect(await execution.ended).toMatchObject({ outcome: "cancelled", why: "the run was cancelled" });
    const late = await performWith(stubAgent(claude, text), { ...warm("s-9"), wallMs: 1_500 });
    expect(late).toMatchObject({ outcome: "timed_out" });
  });

  test("who was told to stop while it turned out to be gone does not begin another", async () => {
    const dir = tempDir();
    const heard = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const text = `echo x >> '${dir}/runs'\n${claudeGone}exit 1`;
    const execution = stubAgent(claude, text).start(
      callWith({
        ...warm("s-9"),
        onOutput: () => {
          heard.resolve();
          return release.promise;
        },
      }),
    );
    await heard.promise;
    await new Promise((resolve) => setTimeout(resolve, 300));
    execution.stop("enough");
    release.resolve();
    expect(await execution.ended).toMatchObject({ outcome: "cancelled", why: "enough" });
    expect(readFileSync(join(dir, "runs"), "utf8")).toBe("x\n");
  });
});

describe("[EX74] a sign of life elsewhere than in its output", () => {
  const limits = { wallMs: 60_000, quietMs: null, graceMs: 500 };
  const quiet = "echo begun; sleep 4";
  const done = printing(linesOf(claude));
  const makers: Readonly<Record<string, (text: string) => Executor>> = {
    command: (text) => commandExecutor({ name: "mine", command: ["sh", "-c", text], env: [], ...limits }),
    claude: (text) => stubAgent(claude, `${text}\n${done}`),
  };

  test.each(Object.keys(makers))("begins the quiet limit of %s anew", async (name) => {
    const make = makers[name] ?? (() => stubAgent(claude, ""));
    const call = () => callWith({ quietMs: 2_000 });
    const ends = async () => {
      const silent = make(quiet).start(call());
      const living = make(quiet).start(call());
      const signs = setInterval(() => living.heard?.(), 200);
      const both = await Promise.all([silent.ended, living.ended]);
      clearInterval(signs);
      return both.map(({ outcome }) => outcome);
    };
    // Tried again: a machine may hold the signs up for longer than the limit.
    await expect.poll(ends).toEqual(["timed_out", "ran"]);
  });

  test("shows that an agent has started", async () => {
    const slow = () => stubAgent(claude, `sleep 1.2\n${done}`, { startMs: 700 }).start(callWith());
    const [silent, living] = [slow(), slow()];
    living.heard?.();
    const ends = await Promise.all([silent.ended, living.ended]);
    expect(ends.map(({ outcome }) => outcome)).toEqual(["failed", "ran"]);
  });

  test("of one that has ended, or never started, changes nothing", async () => {
    const ended = stubAgent(claude, done).start(callWith());
    await ended.ended;
    ended.heard?.();
    const absent = stubAgent(claude, "", { program: "no-such-program-anywhere" }).start(callWith());
    absent.heard?.();
    expect([(await ended.ended).outcome, (await absent.ended).outcome]).toEqual(["ran", "failed"]);
  });
});

test("[EX41] an agent that cannot go on with a session begins a new one, and a note says so", async () => {
  const end = await performWith(stubAgent(goose, printing(linesOf(goose))), {
    resume: { session: "s-7", spent: noUsage },
  });
  expect(end.notes).toEqual(["Goose cannot resume that session, so it started a new one"]);
});
