// Agents that report by tools or continue a session. A stub Claude Code calls the tools that the test lists.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type Site, type StatusDocument, writeAt } from "../support/pawl.ts";
import { until } from "../support/until.ts";

/** One entry per start of the program, in order: the tools it calls, its last message and its exit code. */
interface Turn {
  readonly calls?: readonly (readonly [tool: string, given: object])[];
  readonly says?: string;
  readonly session?: string;
  /** One of the agent's own tools that is denied before it calls Pawl's tools. */
  readonly denied?: string;
  readonly costs?: number;
  readonly exit?: number;
}

const program = `
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
if (process.argv[2] === "--version") { console.log("99.0.0"); process.exit(0); }
const dir = require("node:path").dirname(process.argv[1]);
const args = process.argv.slice(2);
const after = (flag) => args[args.indexOf(flag) + 1];
const number = existsSync(dir + "/called") ? readFileSync(dir + "/called", "utf8").trim().split("\\n").length : 0;
const turn = JSON.parse(readFileSync(dir + "/turns.json", "utf8"))[number] ?? {};
const prompt = readFileSync(0, "utf8");
const system = args.includes("--append-system-prompt-file") ? readFileSync(after("--append-system-prompt-file"), "utf8") : "";
const { pawl } = JSON.parse(readFileSync(after("--mcp-config"), "utf8")).mcpServers;
const session = turn.session ?? (args.includes("--resume") ? after("--resume") : "s-" + number);
const heard = [];
async function call(name, given) {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...pawl.headers };
  const answer = await (await fetch(pawl.url, { method: "POST", headers, body: JSON.stringify(message) })).json();
  heard.push((answer.result?.isError ? "refused: " : "") + (answer.result?.content?.[0]?.text ?? JSON.stringify(answer.error)));
}
(async () => {
  console.log(JSON.stringify({ type: "system", subtype: "init", session_id: session, model: "m-1" }));
  const said = (content) => console.log(JSON.stringify({ type: "assistant", message: { role: "assistant", content: [content] } }));
  const result = (id, is_error) =>
    console.log(JSON.stringify({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: "", is_error }] } }));
  if (turn.denied) {
    said({ type: "tool_use", id: "t-0", name: turn.denied, input: {} });
    console.log(JSON.stringify({ type: "system", subtype: "permission_denied", tool_name: turn.denied, tool_use_id: "t-0" }));
    result("t-0", true);
  }
  for (const [name, given] of turn.calls ?? []) {
    said({ type: "tool_use", id: "t-" + name, name: "mcp__pawl__" + name, input: given });
    await call(name, given);
    result("t-" + name, false);
  }
  appendFileSync(dir + "/called", JSON.stringify({ args, prompt, system, heard, url: pawl.url, headers: pawl.headers }) + "\\n");
  console.log(JSON.stringify({
    type: "result", subtype: "success", is_error: turn.exit === 1, result: turn.says ?? "I am done.", session_id: session,
    total_cost_usd: turn.costs ?? 0, usage: { input_tokens: 10, output_tokens: 1 },
    permission_denials: turn.denied ? [{ tool_name: turn.denied, tool_use_id: "t-0", tool_input: {} }] : [],
  }));
  process.exit(turn.exit ?? 0);
})();
`;

interface Call {
  readonly args: readonly string[];
  readonly prompt: string;
  readonly system: string;
  readonly heard: readonly string[];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function claude(site: Site, turns: readonly Turn[]) {
  const dir = site.path("agents");
  mkdirSync(dir);
  writeFileSync(join(dir, "turns.json"), JSON.stringify(turns));
  writeFileSync(join(dir, "claude"), `#!${process.execPath}\n${program}`);
  chmodSync(join(dir, "claude"), 0o755);
  const env = { PATH: `${dir}:/usr/bin:/bin` };
  return {
    call: (...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, env }),
    calls: () =>
      readFileSync(join(dir, "called"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Call),
  };
}

const steps = (text: string) => `pawl: 1\nid: tools\nagents: { dev: {} }\nsteps:\n${text}`;
const oneStep = steps(`  - { id: work, agent: dev, input: "do it", produces: [changes] }\n`);
const events = async (call: (...args: readonly string[]) => Promise<{ stdout: string }>) =>
  (await call("events", "1", "--json")).stdout;

test("[PF12 MC1] what an agent reports by `complete` counts, whatever it prints; a wrong report is refused and can be corrected", async () => {
  const site = newSite();
  const { call, calls } = claude(site, [
    {
      calls: [
        ["complete", { outcome: "maybe" }],
        ["progress", { message: "half way", percent: 50 }],
        ["complete", { outcome: "done", outputs: { changes: "a new file" } }],
      ],
      says: "STATUS: failed",
    },
  ]);
  const run = await call("run", writeAt(site, "w.yml", oneStep), "a task", "--json");
  expectCode(run, 0);
  const [only] = calls();
  expect(only?.heard).toEqual([
    expect.stringContaining("refused: "),
    "Noted.",
    expect.stringMatching(/^Recorded: passed/),
  ]);
  expect(only?.system).toContain("Report by the tools of the MCP server `pawl`");
  expect(await events(call)).toContain('"set":{"changes":"a new file"}');
  expect((await call("logs", "1")).stdout).toContain("[pawl] progress: 50 % half way");
  // The token is invalid once the attempt has ended.
  const late = fetch(only?.url ?? "", { method: "POST", headers: only?.headers ?? {}, body: "{}" });
  await expect(late).rejects.toThrow("fetch failed");
});

test("[PF12] a report stands even if the process then fails; a reported failure gives its reason", async () => {
  const site = newSite();
  const { call } = claude(site, [
    { calls: [["complete", { outcome: "done" }]], says: "the network is gone", exit: 1 },
    { calls: [["fail", { reason: "the compiler is missing", retryable: false }]] },
  ]);
  const file = steps(`  - { id: work, agent: dev, input: "do it" }\n  - { id: more, agent: dev, input: "more" }\n`);
  expectCode(await call("run", writeAt(site, "w.yml", file), "a task"), 3);
  expect(await events(call)).toContain("after its report it ended badly");
  expect((await call("why", "1")).stdout).toContain("The agent cannot continue: the compiler is missing");
});

test("[PF12 AT16] a question holds the step at once; the next attempt gets the answer, and the work so far is kept", async () => {
  const site = newSite();
  const { call, calls } = claude(site, [
    { calls: [["ask_human", { question: "Which database?", options: ["SQLite", "Postgres"] }]], says: "STATUS: done" },
    { says: "STATUS: done" },
  ]);
  expectCode(await call("run", writeAt(site, "w.yml", oneStep), "a task"), 3);
  const gates = JSON.parse((await call("gates", "--json")).stdout) as {
    gates: readonly { id: string; question: string; options: readonly string[] }[];
  };
  expect(gates.gates).toMatchObject([{ question: "Which database?", options: ["SQLite", "Postgres", "stop"] }]);
  expectCode(await call("answer", gates.gates[0]?.id ?? "", "Postgres", "--note", "we have one already"), 0);
  const done = await call("resume", "1", "--json");
  expectCode(done, 0);
  const [first, second] = calls();
  expect(first?.heard[0]).toContain("End your turn now");
  expect(second?.prompt).toContain("You asked: Which database?\nThe answer: Postgres");
  expect(second?.prompt).toContain("we have one already");
  expect((JSON.parse(done.stdout) as StatusDocument).steps[0]).toMatchObject({ status: "done", attempts: 2 });
});

test("[PF11] a step may continue the session of an earlier one; the earlier usage is not counted twice", async () => {
  const site = newSite();
  const { call, calls } = claude(site, [
    { says: "STATUS: done", costs: 0.5 },
    { says: "STATUS: done", costs: 0.75 },
    { says: "STATUS: done", costs: 0.25 },
  ]);
  const file = steps(`  - { id: code, agent: dev, input: "code" }
  - { id: tidy, agent: dev, input: "tidy", session: { same_as: code } }
  - { id: look, agent: dev, input: "look" }
`);
  const run = await call("run", writeAt(site, "w.yml", file), "a task", "--json");
  expectCode(run, 0);
  const resumed = calls().map(({ args }) => (args.includes("--resume") ? args[args.indexOf("--resume") + 1] : null));
  expect(resumed).toEqual([null, "s-0", null]);
  const { usage } = (JSON.parse(run.stdout) as StatusDocument).run;
  expect(usage).toMatchObject({ costUsd: 1, inputTokens: 30, outputTokens: 3 });
});

test("[PF11] where there is no earlier session, the step starts a fresh one and says so", async () => {
  const site = newSite();
  const { call, calls } = claude(site, [{ says: "STATUS: done" }]);
  writeFileSync(site.path("agent.sh"), "echo STATUS: done\n");
  writeFileSync(join(site.home, "config.yml"), `executors: { sh: { command: [sh, ${site.path("agent.sh")}] } }\n`);
  const file = `pawl: 1
id: tools
agents: { dev: { executor: claude }, other: { executor: sh } }
steps:
  - { id: code, agent: other, input: "code" }
  - { id: tidy, agent: dev, input: "tidy", session: { same_as: code } }
`;
  expectCode(await call("run", writeAt(site, "w.yml", file), "a task"), 0);
  expect(calls()[0]?.args).not.toContain("--resume");
  expect(await events(call)).toContain("it began a fresh session: code has left no session");
});

test("[EX87 PF10] a judge may run the project's test commands, and no others", async () => {
  const site = newSite();
  const { call, calls } = claude(site, [{ says: "STATUS: done" }]);
  const file = `pawl: 1
id: tools
agents: { judge: { access: read } }
context: { test_cmd: "npm run build && npm test -- --run; rm -rf $HOME", lint_command: "make lint", other: "make all" }
steps: [{ id: look, agent: judge, input: "look" }]
`;
  expectCode(await call("run", writeAt(site, "w.yml", file), "a task"), 0);
  const args = calls()[0]?.args ?? [];
  const allowed = args[args.indexOf("--allowedTools") + 1] ?? "";
  const commands = ["npm run build", "npm test -- --run", "make lint", "git ls-files"];
  expect(allowed.split(",")).toEqual(expect.arrayContaining(commands.map((command) => `Bash(${command}:*)`)));
  expect(allowed).not.toMatch(/rm -rf|make all/);
  expect(args[args.indexOf("--permission-mode") + 1]).toBe("dontAsk");
});

test("[EX33 PF12] an agent that was denied a tool and reports success has failed; its report of a failure is believed", async () => {
  const site = newSite();
  const { call } = claude(site, [
    { denied: "Write", calls: [["complete", { outcome: "done" }]], says: "STATUS: done" },
    { denied: "Write", calls: [["fail", { reason: "I may not write" }]] },
  ]);
  const file = steps(`  - { id: work, agent: dev, input: "do it", on_error: { again, at_most: 1, then: fail } }\n`);
  expectCode(await call("run", writeAt(site, "w.yml", file), "a task"), 1);
  const told = await events(call);
  expect(told).toContain("Write was denied");
  expect(told).toContain("I may not write");
});

test("[CO1 AT11] an agent's usage is counted even if the attempt is stopped while its work is being checked", async () => {
  const site = newSite();
  const { call } = claude(site, [{ says: "STATUS: done", costs: 1.5 }]);
  const file = steps(
    `  - { id: work, agent: dev, input: "do it", checks: ["touch ${site.path("checking")}; sleep 600"] }\n`,
  );
  const running = call("run", writeAt(site, "w.yml", file), "a task");
  await until(() => existsSync(site.path("checking")));
  expectCode(await call("cancel", "1"), 0);
  expectCode(await running, 1);
  const { run } = JSON.parse((await call("status", "1", "--json")).stdout) as StatusDocument;
  expect(run.usage).toMatchObject({ costUsd: 1.5, inputTokens: 10 });
});
