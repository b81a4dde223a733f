// What a conversation with an agent comes to, with a stub that speaks the protocol by itself.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AcpAct, AcpPlay } from "../../../test/support/acp-agent.ts";
import { agents, profileOf } from "../../../test/support/agents.ts";
import { freshFile, identityIn, inOwnSession } from "../../../test/support/programs.ts";
import { recordingPath } from "../../../test/support/recordings.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { plainAcp, saidIn, stubAcp } from "../../../test/support/stub-acp.ts";
import { callWith, performWith } from "../../../test/support/stub-agents.ts";
import { isAlive } from "../../system/process/identity.ts";
import { findMarked } from "../../system/process/strays.ts";
import { attemptMarker, type ExecutorCall } from "../executor.ts";
import { findProgram } from "../program.ts";
import { type AcpOptions, acpExecutor } from "./acp.ts";
import { serverOf } from "./server.ts";

const done: AcpAct = { say: "STATUS: done" };
const play = (acts: readonly AcpAct[], more: Partial<AcpPlay> = {}, options: Partial<AcpOptions> = {}) =>
  stubAcp({ acts, ...more }, options);
const ending = (
  acts: readonly AcpAct[],
  more: Partial<AcpPlay> = {},
  options: Partial<AcpOptions> = {},
  call: Partial<ExecutorCall> = {},
) => performWith(play(acts, more, options), call);

const optionsWith = (acts: readonly AcpAct[]) => plainAcp({ acts });

const editing = { permission: { title: "Write hello.txt", kind: "edit", locations: [{ path: "/w/hello.txt" }] } };
const running = (command: string) => ({
  permission: { title: "run a command", kind: "execute", rawInput: { command } },
});
const allowed = { outcome: "selected", optionId: "o-allow_once" };
const refused = { outcome: "selected", optionId: "o-reject_once" };

describe("the way to the prompt and back", () => {
  test("[EX60 EX62] a prompt that is answered has run, with all that the agent told", async () => {
    const end = await ending([{ say: "I look." }, editing, done]);
    expect(end).toMatchObject({ outcome: "ran", session: "s-1", version: "9.9.9", notes: [] });
    expect(end.text).toMatch(/^[^\n]+allow_once[^\n]+\nSTATUS: done$/);
    expect(end.usage).toMatchObject({ inputTokens: 30, outputTokens: 10 });
  });

  test("[EX60] it works in the workspace, and its role is told before the prompt", async () => {
    const cwd = tempDir();
    const end = await ending([{ repeat: "session" }, { repeat: "prompt" }], {}, {}, { cwd, system: "You verify." });
    expect(end.text).toContain(`"cwd":"${cwd}"`);
    expect(end.text).toContain("You verify.\n\ndo it");
  });

  test.each([
    ["initialize", 0.7],
    ["session/new", 6],
  ])("[EX60] one that does not answer %s has failed, in time", async (method, seconds) => {
    const options = { startMs: seconds * 1_000, graceMs: 200 };
    const end = await ending([done], { ignores: [method], stays: true }, options);
    expect(end).toMatchObject({ outcome: "failed", kind: "no_result" });
    expect(end).toHaveProperty(
      "why",
      expect.stringMatching(
        new RegExp(`did not answer \`${method}\` within ${seconds} s.*speak ACP.*executor test stub`),
      ),
    );
  });

  test("[EX60] a program that prints something else has failed, with what it printed", async () => {
    const command = ["/bin/sh", "-c", "echo 'Welcome! {broken'; echo '{\"half\": '; echo 'usage: agent' >&2"] as const;
    const left = await performWith(stubAcp({ acts: [] }, { command }));
    expect(left).toMatchObject({ outcome: "failed", kind: "no_result", why: expect.stringContaining("usage: agent") });
    const waiting = [command[0], command[1], `${command[2]}; exec sleep 600`] as const;
    const stayed = await performWith(stubAcp({ acts: [] }, { command: waiting, startMs: 500 }));
    expect(stayed).toMatchObject({
      outcome: "failed",
      kind: "no_result",
      why: expect.stringContaining("usage: agent"),
    });
  });

  test("[EX60] one that speaks another version of the protocol is not talked to", async () => {
    const end = await ending([done], { version: 7 });
    expect(end).toMatchObject({ outcome: "failed", why: expect.stringMatching(/does not speak version 1 .+newer/) });
  });

  test("[EX60] noise between its messages, and questions that nobody knows, do no harm", async () => {
    const strange: AcpAct[] = [
      { print: "banner\n{ not json\n[1]\n{}\n" },
      { print: '{"jsonrpc":"2.0","id":99,"result":{"stopReason":"end_turn"}}\n' },
      { print: '{"jsonrpc":"2.0","method":"session/update","params":7}\n' },
      { request: "craft/drain", params: {} },
      { request: "session/request_permission", params: { toolCall: 5 } },
      editing,
      done,
    ];
    let printed = "";
    const onOutput = (_: string, chunk: Uint8Array) => void (printed += Buffer.from(chunk).toString());
    const end = await ending(strange, {}, {}, { onOutput });
    expect(end).toMatchObject({ outcome: "ran", text: expect.stringContaining("STATUS: done") });
    expect(printed).toContain("-32601");
    expect(printed).toContain("-32602");
  });
});

describe("its end", () => {
  test.each([
    [
      "auth",
      "blocked",
      { errors: { "session/new": { code: -32000, message: "Authentication required" } } },
      "log in with",
    ],
    ["auth", "blocked", { acts: [{ error: { code: 401, message: "invalid x-api-key" } }] }, "log in with"],
    [
      "rate_limit",
      "rate_limited",
      { acts: [{ error: { code: -32603, message: "Internal error", data: { errorKind: "rate_limit" } } }] },
      "Internal error",
    ],
    ["auth", "blocked", { acts: [{ say: "Error: (HTTP 401)" }, { stop: { stopReason: "end_turn" } }] }, "HTTP 401"],
    [
      "rate_limit",
      "rate_limited",
      {
        acts: [
          { say: "exceeded retry limit, last status: 429 Too Many Requests" },
          { stop: { stopReason: "end_turn", usage: null } },
        ],
      },
      "429",
    ],
    ["max_turns", "failed", { acts: [{ stop: { stopReason: "max_turn_requests" } }] }, "max_turn_requests"],
    ["max_turns", "failed", { acts: [{ stop: { stopReason: "max_tokens" } }] }, "max_tokens"],
    ["other", "failed", { acts: [{ stop: { stopReason: "refusal" } }] }, "refusal"],
  ] as const)("[EX62] %s is %s: %j", async (kind, outcome, more, why) => {
    expect(await ending([], more)).toMatchObject({ outcome, kind, why: expect.stringContaining(why) });
  });

  test("[EX62] one that dies before its answer was killed, one that exits has failed with what it printed", async () => {
    const died = await ending([{ say: "half" }, { shell: "kill -9 $PPID" }]);
    expect(died).toMatchObject({ outcome: "failed", kind: "killed", text: "half" });
    expect(died).toHaveProperty("why", expect.stringContaining("SIGKILL"));
    const left = await ending([{ print: "no such model\n", to: "stderr" }, { exit: 3 }]);
    expect(left).toMatchObject({ outcome: "failed", why: expect.stringMatching(/^exit code 3: no such model/) });
    expect(await ending([{ print: '{"jsonrpc":"2.0","id"' }, { exit: 0 }])).toMatchObject({ kind: "no_result" });
    // An answer to what nobody asked is no end.
    const stray: AcpAct = { print: '{"jsonrpc":"2.0","id":99,"result":{"stopReason":"end_turn"}}\n' };
    expect(await ending([done, stray, { exit: 0 }])).toMatchObject({ outcome: "failed", kind: "no_result" });
  });

  test("[EX62] one that does not leave after its answer is ended, with all it started, and counts as what it said", async () => {
    const pidFile = freshFile("pid");
    const left = { shell: `${inOwnSession(pidFile, "trap '' TERM; while :; do sleep 1; done")} exit 0` };
    const attempt = `at-stays-${process.pid}`;
    const ended = ending([left, done], { stays: true }, { leaveMs: 300, graceMs: 300 }, { attempt });
    const child = await identityIn(pidFile);
    const end = await ended;
    expect(end).toMatchObject({ outcome: "ran", text: "STATUS: done" });
    expect(end.notes.join()).toContain("did not exit within");
    expect(isAlive(child)).toBe(false);
    expect(await findMarked(attemptMarker, attempt)).toEqual([]);
  });

  test("[EX62] how it leaves after its answer means nothing", async () => {
    expect(await ending([done], { leaves: 7 })).toMatchObject({ outcome: "ran", text: "STATUS: done", notes: [] });
  });

  test("[EX62] one whose answer is neither a result nor an error, and that stays, has failed in time", async () => {
    const acts: AcpAct[] = [{ print: '{"jsonrpc":"2.0","id":2}\n' }, { wait: "for ever" }];
    const end = await ending(acts, { stays: true }, { leaveMs: 300, graceMs: 300 });
    expect(end).toMatchObject({ outcome: "failed", kind: "no_result" });
  });

  test("[EX62] limits of turns and money are kept for it", async () => {
    const turn = (id: string): AcpAct[] => [
      { update: { sessionUpdate: "tool_call", toolCallId: id, title: "ls" } },
      { update: { sessionUpdate: "tool_call_update", toolCallId: id, status: "completed" } },
    ];
    const turns = await ending([...turn("a"), ...turn("b"), ...turn("c"), { wait: "for ever" }], {}, { maxTurns: 2 });
    expect(turns).toMatchObject({ outcome: "failed", kind: "max_turns" });
    const cost = { update: { sessionUpdate: "usage_update", cost: { amount: 3, currency: "USD" } } };
    const money = await ending([cost, { wait: "for ever" }], {}, { maxUsd: 2 });
    expect(money).toMatchObject({ outcome: "failed", kind: "max_budget", usage: { costUsd: 3 } });
  });
});

describe("permissions", () => {
  test("[EX63] what it asks for is allowed, once each, unless the executor says otherwise", async () => {
    const end = await ending([{ ...editing, options: ["allow_always", "reject_once", "allow_once"] }]);
    expect(end).toMatchObject({ outcome: "ran", text: `${JSON.stringify(allowed)}\n` });
  });

  test("[EX63] a refused agent that says that it is done has failed; looking and our own tools are never refused", async () => {
    const end = await ending([editing, done], {}, { permissions: "deny" });
    expect(end).toMatchObject({
      outcome: "failed",
      kind: "denied",
      why: expect.stringMatching(/^Write hello.txt was denied/),
    });
    const looks = [{ permission: { title: "a.ts", kind: "read" } }, { permission: { title: "pawl_complete" } }];
    expect(await ending(looks, {}, { permissions: "deny" })).toMatchObject({ outcome: "ran", notes: [] });
  });

  test("[EX64] whoever may only read is refused the rest, may look at changes, and judges all the same", async () => {
    const told = async (act: AcpAct) => await ending([act], {}, {}, { access: "read" });
    const end = await told(editing);
    expect(end).toMatchObject({ outcome: "ran", text: `${JSON.stringify(refused)}\n` });
    expect(end.notes.join()).toContain("it may only read, and tried to do more: Write hello.txt was denied");
    for (const kind of ["delete", "move", "execute", "switch_mode", "other"])
      expect((await told({ permission: { title: "x", kind } })).text).toContain("reject");
    expect((await told(running("git diff HEAD~1 -- src/a.ts"))).text).toContain("allow");
    expect((await told(running("git diff; touch x"))).text).toContain("reject");
  });

  test("[EX64] an agent that never asks is not started where it may only read; one without the mode that asks is ended", async () => {
    const goose = acpExecutor({ ...optionsWith([]), preset: await profileOf("goose") });
    expect(await performWith(goose, { access: "read" })).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("Goose cannot be kept from writing"),
    });
    const gemini = acpExecutor({ ...optionsWith([done]), preset: await profileOf("gemini") });
    expect(await performWith(gemini, { access: "read" })).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining('no mode "default"'),
    });
    expect(await performWith(gemini)).toMatchObject({ outcome: "ran" });
  });

  test.skipIf(findProgram("bwrap") === null)(
    "[EX64] in a sandbox it writes nothing, whether it asks or not (skipped without bubblewrap)",
    async () => {
      const cwd = tempDir();
      const goose = acpExecutor({
        ...optionsWith([{ shell: "touch x || echo refused" }]),
        preset: await profileOf("goose"),
        sandbox: { network: true, write: [] },
      });
      expect(await goose.missing()).toBeNull();
      expect(await performWith(goose, { cwd, access: "read" })).toMatchObject({ outcome: "ran", text: "refused\n" });
      expect(readdirSync(cwd)).toEqual([]);
      expect(await performWith(goose, { cwd })).toMatchObject({ outcome: "ran", text: "" });
      expect(readdirSync(cwd)).toEqual(["x"]);
    },
  );

  test("[EX65] where a person is to decide, the attempt ends at the question", async () => {
    const attempt = `at-ask-${process.pid}`;
    const acts: AcpAct[] = [{ say: "I publish." }, running("npm publish"), { wait: "for ever" }];
    const end = await ending(acts, {}, { permissions: "ask" }, { attempt });
    expect(end).toMatchObject({ outcome: "blocked", kind: "permission", session: "s-1" });
    expect(end).toHaveProperty(
      "why",
      expect.stringMatching(
        /asks for permission: run a command \(execute\): npm publish \(.*executors.stub.permissions/,
      ),
    );
    expect(await findMarked(attemptMarker, attempt)).toEqual([]);
  });

  test("[EX65] who may only read is refused and not asked about", async () => {
    expect(await ending([editing, done], {}, { permissions: "ask", access: "read" })).toMatchObject({ outcome: "ran" });
  });
});

describe("stopping", () => {
  const stopped = async (more: Partial<AcpPlay>, acts: readonly AcpAct[], options: Partial<AcpOptions> = {}) => {
    let printed = "";
    const call = callWith({ onOutput: (_, chunk) => void (printed += Buffer.from(chunk).toString()) });
    const execution = play(acts, more, options).start(call);
    await expect.poll(() => printed).toContain("begun");
    const begun = performance.now();
    execution.stop("enough");
    execution.stop("again");
    const end = await execution.ended;
    return { end, printed, ms: performance.now() - begun, left: await findMarked(attemptMarker, call.attempt) };
  };

  test("[EX66] it is told in its own words first, and is cancelled whatever it then says", async () => {
    const { end, printed, left } = await stopped({}, [{ say: "begun" }, { wait: "for ever" }]);
    expect(end).toMatchObject({ outcome: "cancelled", why: "enough", text: "begun" });
    expect(printed).toContain('"stopReason":"cancelled"');
    expect(left).toEqual([]);
  });

  test("[EX66] one that hears neither that nor SIGTERM is killed, with a child that left its session", async () => {
    const pidFile = freshFile("pid");
    const detach = inOwnSession(pidFile, "trap '' TERM; while :; do sleep 1; done");
    const acts: AcpAct[] = [{ shell: `${detach} echo begun` }, { wait: "for ever" }];
    const more = { ignores: ["session/cancel"], stays: true };
    const { end, ms, left } = await stopped(more, acts, { graceMs: 500 });
    expect(end).toMatchObject({ outcome: "cancelled" });
    expect(ms).toBeGreaterThan(3_000);
    expect(left).toEqual([]);
    await expect(identityIn(pidFile)).rejects.toThrow("already ended");
  });

  test("[EX66] at a limit of time it is told so, too", async () => {
    let printed = "";
    const onOutput = (_: string, chunk: Uint8Array) => void (printed += Buffer.from(chunk).toString());
    const end = await ending([{ say: "begun" }, { wait: "for ever" }], {}, {}, { wallMs: 6_000, onOutput });
    expect(end).toMatchObject({ outcome: "timed_out" });
    expect(printed).toContain('"stopReason":"cancelled"');
  });
});

describe("files", () => {
  const at = (cwd: string, ...names: string[]) => join(cwd, ...names);
  const writing = (path: string): AcpAct => ({ request: "fs/write_text_file", params: { path, content: "hello\n" } });
  const reading = (path: string, more = {}): AcpAct => ({ request: "fs/read_text_file", params: { path, ...more } });

  test("[EX67] text is read and written for it in its workspace, and in what else is its own", async () => {
    const [cwd, shared] = [tempDir(), tempDir()];
    writeFileSync(at(cwd, "a.txt"), "one\ntwo\nthree\n");
    const acts = [
      writing(at(cwd, "new", "b.txt")),
      writing(at(shared, "c.txt")),
      reading(at(cwd, "a.txt"), { line: 2, limit: 1 }),
    ];
    const end = await ending(acts, {}, {}, { cwd, outside: [shared] });
    expect(end.text).toContain('"content":"two"');
    expect([at(cwd, "new", "b.txt"), at(shared, "c.txt")].map((file) => readFileSync(file, "utf8"))).toEqual([
      "hello\n",
      "hello\n",
    ]);
  });

  test("[EX67] nothing is written outside of it, by whichever way, and an agent that wanted to has not done its work", async () => {
    const [cwd, other] = [tempDir(), tempDir()];
    symlinkSync(other, at(cwd, "link"));
    symlinkSync(at(other, "nowhere"), at(cwd, "dangling"));
    mkdirSync(`${cwd}-beside`);
    const ways = [at(other, "x"), at(cwd, "link", "x"), at(cwd, "dangling"), `${cwd}/../y`, `${cwd}-beside/x`, "x"];
    for (const path of ways) {
      const end = await ending([writing(path), done], {}, {}, { cwd });
      expect(end).toMatchObject({ outcome: "failed", kind: "denied", why: expect.stringContaining(`writing ${path}`) });
    }
    expect(readdirSync(other)).toEqual([]);
    const end = await ending([reading(at(other, "x")), reading("/etc/hostname")], {}, {}, { cwd });
    expect(end.text.match(/outside of the workspace/g)).toHaveLength(2);
  });

  test("[EX67] whoever may only read writes nothing", async () => {
    const cwd = tempDir();
    const end = await ending([writing(at(cwd, "x")), done], {}, {}, { cwd, access: "read" });
    expect(end).toMatchObject({ outcome: "ran" });
    expect(end.notes.join()).toContain(`writing ${at(cwd, "x")} was denied`);
    expect(() => readFileSync(at(cwd, "x"))).toThrow("ENOENT");
  });
});

describe("what a session offers", () => {
  const select = (id: string, category: string, ...values: string[]) => ({
    id,
    category,
    type: "select",
    currentValue: values[0],
    options: values.map((value) => ({ value, name: value.toUpperCase() })),
  });
  const session = {
    configOptions: [select("model", "model", "small", "large"), select("think", "thought_level", "low", "high")],
  };

  test("[EX68] model and effort are chosen from its options, the call's before the executor's", async () => {
    const acts: AcpAct[] = [{ repeat: "settings" }];
    const end = await ending(acts, { session }, { model: "small", effort: "low" }, { model: "large", effort: "HIGH" });
    expect(JSON.parse(end.text)).toEqual([
      { method: "session/set_config_option", sessionId: "s-1", configId: "model", value: "large" },
      { method: "session/set_config_option", sessionId: "s-1", configId: "think", value: "high" },
    ]);
    expect(end.model).toBe("large");
    expect(await ending(acts, { session }, { model: "small" })).toMatchObject({ text: "[]", model: "small" });
  });

  test("[EX68] and from the lists of older agents; what did the work is in the end", async () => {
    const models = { currentModelId: "a", availableModels: [{ modelId: "a" }, { modelId: "b", name: "Bee" }] };
    const end = await ending([{ repeat: "settings" }], { session: { models } }, { model: "bee" });
    expect(JSON.parse(end.text)).toEqual([{ method: "session/set_model", sessionId: "s-1", modelId: "b" }]);
    expect(end.model).toBe("b");
  });

  test("[EX68] what an agent does not let us choose is left out and noted; a model that it does not have is not replaced", async () => {
    const end = await ending([done], {}, { model: "large", effort: "high" });
    expect(end).toMatchObject({ outcome: "ran" });
    expect(end.notes).toHaveLength(2);
    const unknown = await ending([done], { session }, { model: "huge" });
    expect(unknown).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining('no model "huge" (it offers: small, large)'),
    });
  });

  test("[EX68] our tools are given with the session, to agents that can reach them", async () => {
    const mcp = { url: "http://127.0.0.1:9/mcp/a", token: "tok-1" };
    const acts: AcpAct[] = [{ repeat: "session" }];
    const able = await ending(acts, { capabilities: { mcpCapabilities: { http: true } } }, {}, { mcp });
    expect(JSON.parse(able.text)).toMatchObject({
      mcpServers: [
        { type: "http", name: "pawl", url: mcp.url, headers: [{ name: "Authorization", value: "Bearer tok-1" }] },
      ],
    });
    const unable = await ending(acts, {}, {}, { mcp });
    expect(JSON.parse(unable.text)).toMatchObject({ mcpServers: [] });
    expect(unable.notes.join()).toContain("cannot reach Pawl's tools");
  });
});

describe("going on with a session", () => {
  const spent = { costUsd: 2, inputTokens: 100, outputTokens: 100 };
  const resume = { session: "s-9", spent };
  const cost = { update: { sessionUpdate: "usage_update", cost: { amount: 2.5, currency: "USD" } } };
  const history = [
    { sessionUpdate: "tool_call", toolCallId: "old", title: "ls" },
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "old words" } },
  ];

  test("[EX69] a limit of money is that of this prompt", async () => {
    const capabilities = { sessionCapabilities: { resume: {} } };
    const end = await ending([cost, { say: "done" }], { capabilities }, { maxUsd: 1 }, { resume });
    expect(end).toMatchObject({ outcome: "ran", usage: { costUsd: 0.5 } });
    const acts: AcpAct[] = [cost, { wait: "for ever" }];
    expect(await ending(acts, { capabilities }, { maxUsd: 0.4 }, { resume })).toMatchObject({
      outcome: "failed",
      kind: "max_budget",
      why: expect.stringContaining("it was stopped after $0.5 of $0.4"),
    });
    // A new session has cost nothing before.
    expect(await ending(acts, {}, { maxUsd: 1 }, { resume })).toMatchObject({ outcome: "failed", kind: "max_budget" });
  });

  test.each([
    ["session/resume", { loadSession: true, sessionCapabilities: { resume: {} } }],
    ["session/load", { loadSession: true }],
  ])(
    "[EX69] by %s where the agent can; what it had said and cost before is not counted again",
    async (method, capabilities) => {
      const end = await ending([{ repeat: "session" }, cost], { capabilities, history }, {}, { resume });
      expect(JSON.parse(end.text)).toMatchObject({ method, sessionId: "s-9" });
      expect(end).toMatchObject({
        outcome: "ran",
        session: "s-9",
        notes: [],
        usage: { costUsd: 0.5, inputTokens: 30 },
      });
      // Told again, tools that were called are no work of this prompt.
      const dressed = await ending(
        [{ say: "Error: (HTTP 401)" }, { stop: { stopReason: "end_turn" } }],
        { capabilities, history },
        {},
        { resume },
      );
      expect(dressed).toMatchObject({ outcome: "blocked", kind: "auth" });
    },
  );

  test("[EX69] else with a new session, and a note", async () => {
    const gone = { "session/load": { code: -32002, message: "Resource not found" } };
    for (const more of [{}, { capabilities: { loadSession: true }, errors: gone }]) {
      const end = await ending([{ repeat: "session" }, cost], more, {}, { resume });
      expect(JSON.parse(end.text)).toMatchObject({ method: "session/new" });
      expect(end).toMatchObject({ outcome: "ran", session: "s-1", usage: { costUsd: 2.5 } });
      expect(end.notes.join()).toContain("cannot resume that session");
    }
    const end = await ending(
      [{ repeat: "session" }],
      { capabilities: { loadSession: true } },
      {},
      { resume: { session: "../x", spent } },
    );
    expect(JSON.parse(end.text)).toMatchObject({ method: "session/new" });
  });
});

describe("presets", () => {
  test.each(agents.acpKinds)(
    "[EX61] %s has a command, a title and what to do where it is not installed",
    async (name) => {
      const preset = await profileOf(name);
      const { command, title, install, login } = serverOf({ name, command: null, preset });
      expect([...command, title, install, login].every((word) => word.length > 0)).toBe(true);
      const absent = acpExecutor({ ...optionsWith([]), preset, command: ["no-such-program-anywhere"] });
      expect(await absent.missing()).toMatchObject({
        what: expect.stringContaining(title),
        hint: expect.stringContaining(install),
      });
    },
  );

  test("[EX61] one sees its own keys and settings; any other command sees none", async () => {
    process.env["GEMINI_API_KEY"] = "key-1";
    const env: AcpAct[] = [{ shell: "env" }];
    const known = await performWith(acpExecutor({ ...optionsWith(env), preset: await profileOf("gemini") }));
    const plain = await ending(env);
    delete process.env["GEMINI_API_KEY"];
    expect(known.text).toContain("GEMINI_API_KEY=key-1\n");
    expect(known.text).toContain("GEMINI_CLI_TRUST_WORKSPACE=true\n");
    expect(plain.text).not.toContain("GEMINI");
  });

  test("[EX61] OpenCode asks for nothing where all is allowed, and refuses by itself what nobody may allow", async () => {
    const env: AcpAct[] = [{ shell: "printenv OPENCODE_CONFIG_CONTENT" }];
    const preset = await profileOf("opencode");
    const opencode = (changes: Partial<AcpOptions>) =>
      performWith(acpExecutor({ ...optionsWith(env), preset, ...changes }));
    const permission = async (changes: Partial<AcpOptions>) =>
      (JSON.parse((await opencode(changes)).text) as { permission: Record<string, string> }).permission["*"];
    expect(await permission({})).toBe("allow");
    expect(await permission({ access: "read" })).toBe("deny");
    expect(await permission({ permissions: "ask" })).toBe("ask");
  });

  test("[EX61] neither a command nor a preset is an error of the configuration", () => {
    expect(() => acpExecutor({ ...optionsWith([]), command: null })).toThrow("neither a command nor a preset");
  });
});

describe("a message in the running turn", () => {
  const steerable = { meta: { steering: { supported: true } } };
  /** Tells it as soon as its turn has begun. */
  async function telling(acts: readonly AcpAct[], more: Partial<AcpPlay>) {
    const begun = Promise.withResolvers<void>();
    const onOutput: ExecutorCall["onOutput"] = (_name, chunk) => {
      if (saidIn(chunk.toString()).includes("I began.")) begun.resolve();
    };
    const execution = play([{ say: "I began.\n" }, ...acts], more).start(callWith({ onOutput }));
    await begun.promise;
    const told = await execution.tell?.("use oil");
    if (told?.taken !== true) execution.stop("enough");
    return { told, end: await execution.ended };
  }

  test("[EX96] an agent that declares it gets the message while it works, once", async () => {
    const { told, end } = await telling([{ hear: "message" }, done], steerable);
    expect(told).toEqual({ taken: true });
    expect(end).toMatchObject({ outcome: "ran", text: "I began.\ntold: use oil\nSTATUS: done" });
  });

  test.each<[string, Partial<AcpPlay>, RegExp]>([
    ["does not declare it", {}, /takes no messages while it works/],
    ["has just ended its turn", { ...steerable, steers: "promptRequired" }, /the turn of .* is over/],
    ["would begin a turn of its own", { ...steerable, steers: "startedNewTurn" }, /the turn of .* is over/],
    [
      "answers with an error",
      { ...steerable, errors: { "_session/steering": { code: -32603, message: "session busy" } } },
      /refused it: .*session busy/,
    ],
  ])("[EX96] one that %s does not have it, and the answer says why", async (_case, more, why) => {
    const { told } = await telling([{ wait: "for ever" }], more);
    expect(told).toEqual({ taken: false, why: expect.stringMatching(why) });
  });

  test("[EX96] the agents that were recorded over ACP declare it as it is read here", () => {
    const told = (file: string) => readFileSync(recordingPath(file), "utf8");
    for (const file of ["acp-claude.jsonl", "acp-codex.jsonl"])
      expect(told(file)).toContain('"_meta":{"steering":{"supported":true}}');
  });
});
