// `pawl mcp`: a person's own agent session starts runs, inspects them and answers gates; the runs continue when the session ends.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { McpSession } from "../support/mcp-session.ts";
import { expectCode, newSite, type Site, type StatusDocument, writeAt } from "../support/pawl.ts";
import { until } from "../support/until.ts";

const workflow = `pawl: 1
id: asked
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "{{task}} for {{ticket}}. {{feedback}}" }
  - id: look
    gate: "Is this right?"
    options: { approve: next, reject: { back_to: work } }
  - { id: tell, agent: worker, input: "say it" }
`;

/** Its agent prints its prompt, and works as long as there is a file `wait` in the home. */
async function site(): Promise<Site> {
  const made = newSite();
  const agent = writeAt(
    made,
    "agent.sh",
    `cat > prompt; cat prompt >> ${made.home}/prompts; echo "$PAWL_STEP begins"
while [ -e ${made.home}/wait ]; do sleep 0.05; done
git add -A; git commit -qm "$PAWL_STEP" || true; echo "STATUS: done"`,
  );
  writeAt(
    made,
    "home/config.yml",
    `default_executor: mine\nexecutors:\n  mine: { kind: command, command: ["sh", "${agent}"] }\n`,
  );
  expectCode(await made.pawl("workflow", "install", writeAt(made, "workflow.yml", workflow)), 0);
  return made;
}

interface Started {
  readonly run: { readonly id: string; readonly number: number };
  readonly log: string;
}

async function statusOf(session: McpSession, wanted: string): Promise<StatusDocument> {
  const look = async () => await session.documentOf<StatusDocument>("status", { run: "1" });
  await until(async () => (await look()).run.status === wanted);
  return await look();
}

test("[MC50 MC51] a session starts a run, inspects it and answers its gate, and the driver continues by itself", async () => {
  const made = await site();
  const session = new McpSession(made);
  await session.begin();
  const { workflows } = await session.documentOf<{ workflows: readonly { id: string }[] }>("list_workflows");
  expect(workflows.map(({ id }) => id)).toEqual(expect.arrayContaining(["asked", "feature-dev"]));

  const request = { workflow: "asked", task: "Add a door", context: { ticket: "a,b=c" } };
  const { run, log } = await session.documentOf<Started>("start_run", request);
  expect(run.number).toBe(1);
  const held = await statusOf(session, "held");
  expect(held).toEqual({ ...(await made.status()), why: expect.stringContaining("waits for a person") });
  expect(readFileSync(`${made.home}/prompts`, "utf8")).toContain("Add a door for a,b=c.");
  expect(await session.documentOf("why", {})).toMatchObject({
    run: run.id,
    why: expect.stringContaining("Is this right?"),
  });
  expect(await session.documentOf("list_runs")).toMatchObject({ runs: [{ number: 1, status: "held" }] });
  expect(await session.documentOf("logs", { run: "1", tail: 1 })).toMatchObject({
    attempts: [{ step: "work", outcome: "completed" }],
    tail: "STATUS: done",
  });

  const { gates } = await session.documentOf<{ gates: readonly { id: string }[] }>("gates");
  const gate = gates[0]?.id ?? "";
  expect(await session.call("answer_gate", { gate, option: "maybe" })).toMatchObject({ isError: true });
  const answered = await session.documentOf("answer_gate", { gate, option: "reject", note: "It must open inwards" });
  expect(answered).toMatchObject({ gate, option: "reject", status: "running", log });
  await until(() => readFileSync(`${made.home}/prompts`, "utf8").includes("It must open inwards"));
  await statusOf(session, "held");

  const second = await session.documentOf<{ gates: readonly { id: string }[] }>("gates");
  await session.documentOf("answer_gate", { gate: second.gates[0]?.id, option: "approve" });
  session.end();
  expect(await session.ended).toBe(0);
  await until(async () => (await made.status()).run.status === "done");
  // The driver reports the end after it has recorded it.
  await until(() => readFileSync(log, "utf8").includes("Run #1 is done"));
});

test("[MC51 MC56] a run continues when the session that started it is killed; set_waits and stop_attempt steer it, and cancel_run ends it with its agents", async () => {
  const made = await site();
  writeAt(made, "home/wait", "");
  const session = new McpSession(made);
  await session.begin();
  const { run } = await session.documentOf<Started>("start_run", {
    workflow: "asked",
    task: "Add a door",
    context: { ticket: "x" },
  });
  await session.kill();
  const other = new McpSession(made);
  await other.begin();
  await until(async () =>
    (await other.documentOf<{ tail: string }>("logs", { run: run.id })).tail.includes("work begins"),
  );
  expect(await other.documentOf("set_waits", { run: run.id, level: "all" })).toMatchObject({ waits: "all" });
  expect(await other.documentOf("stop_attempt", { run: run.id })).toMatchObject({ attempt: 1 });
  await until(async () => (await other.documentOf<{ status: string }>("why", { run: run.id })).status === "held");
  expect(await other.documentOf("status", { run: run.id })).toMatchObject({ waits: "all" });
  expect(await other.documentOf("cancel_run", { run: run.id })).toMatchObject({ run: { status: "cancelled" } });
  await until(async () => (await made.pawl("events", "1", "--json")).stdout.includes('"attempt_ended"'));
});

test("[MC57] a session signals a run and drops a step; a story that is not there is named; the run continues in the background", async () => {
  const made = await site();
  const file = `pawl: 1
id: signalled
agents: { worker: {} }
steps:
  - { id: wait, signal: deploy-done, produces: [url] }
  - { id: never, signal: never }
  - { id: tell, agent: worker, input: "say {{url}}" }
`;
  expectCode(await made.pawl("workflow", "install", writeAt(made, "signalled.yml", file)), 0);
  const session = new McpSession(made);
  await session.begin();
  await session.documentOf("start_run", { workflow: "signalled", task: "Deploy" });
  await statusOf(session, "held");
  expect(await session.call("signal", { run: "1", name: "other" })).toMatchObject({ isError: true });
  const payload = { url: "https://x.test" };
  expect(await session.documentOf("signal", { run: "1", name: "deploy-done", payload })).toMatchObject({
    taken: "wait",
    status: "held",
  });
  expect(await session.call("drop_story", { run: "1", story: "US-9" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("US-9"),
  });
  // The process that drove it to the signal may still be about to leave, and would go on with the run itself.
  await until(async () => (await made.json<{ workers: readonly unknown[] }>(["worker", "list"])).workers.length === 0);
  const dropped = await session.documentOf("drop_step", { run: "1", step: "never", as: "done" });
  expect(dropped).toMatchObject({ step: "never", as: "done", status: "running", log: expect.any(String) });
  await statusOf(session, "done");
  expect(readFileSync(`${made.home}/prompts`, "utf8")).toContain("say https://x.test");
});

test("[MC52] it accepts only names that a person has installed and configured: no path, no command line", async () => {
  const made = await site();
  const session = new McpSession(made);
  await session.begin();
  const start = async (more: object) => await session.call("start_run", { workflow: "asked", task: "x", ...more });
  expect(await start({ workflow: made.path("workflow.yml") })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/there are: .*asked/),
  });
  expect(await start({ executor: "command: touch evil" })).toMatchObject({ isError: true });
  expect(await start({ executor: "scripted:evil.yml" })).toMatchObject({ isError: true });
  expect(await start({ context: { repo: "/" } })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/cannot set repo/),
  });
  expect(await start({ repo: made.home })).toMatchObject({ isError: true, text: expect.stringMatching(/hint: /) });
  expect(await session.documentOf("list_runs")).toEqual({ runs: [] });
  expect(await session.call("status", { run: "--store=sqlite:evil.db" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("NOT_FOUND"),
  });
});

test("[MC53] stdout has only messages, and input that is not a message gets an answer, too", async () => {
  const made = await site();
  const session = new McpSession(made);
  session.write("hello");
  session.write("");
  await session.begin();
  const tools = (await session.rpc("tools/list")).result?.["tools"] as readonly { name: string }[];
  expect(tools.map(({ name }) => name)).toEqual([
    "list_workflows",
    "start_run",
    "list_runs",
    "status",
    "why",
    "logs",
    "gates",
    "answer_gate",
    "note",
    "set_waits",
    "stop_attempt",
    "signal",
    "drop_story",
    "drop_step",
    "cancel_run",
  ]);
  expect((await session.rpc("server/discover")).error?.code).toBe(-32_601);
  expect((await session.call("logs", {})).text).toMatch(/run: /);
  expect(session.answers[0]).toMatchObject({ id: null, error: { code: -32_700 } });
  session.end();
  expect(await session.ended).toBe(0);
});

test("[MC54] with --store it uses another store, as every command does", async () => {
  const made = await site();
  const store = `sqlite:${made.path("other.db")}`;
  const session = new McpSession(made, ["--store", store]);
  await session.begin();
  await session.documentOf("start_run", { workflow: "asked", task: "Elsewhere", context: { ticket: "x" } });
  await statusOf(session, "held");
  expect(await made.json(["runs"])).toEqual({ runs: [] });
  for (const args of [
    ["runs", "--store", store],
    ["--store", store, "runs"],
  ])
    expect(await made.json(args)).toMatchObject({ runs: [{ task: "Elsewhere" }] });
});
