// `pawl run` and the commands that show a run, as a calling program sees them: exit codes, documents, lines.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type Called,
  eventLines,
  expectCode,
  newSite,
  pawl,
  type Site,
  type StatusDocument,
  statuses,
  writeAt,
} from "../support/pawl.ts";
import { type Acts, done, featureScript, story, writeScript } from "../support/scripts.ts";
import { until } from "../support/until.ts";
import { gateWorkflow, pairWorkflow } from "../support/workflows.ts";

const pairActs: Acts = { first: [{ say: `said by first\n${done}` }], second: [{ say: done }] };

function pair(site: Site, acts: Acts = pairActs, task = "the task"): readonly string[] {
  return ["run", writeAt(site, "pair.yml", pairWorkflow), task, "--script", writeScript(site, acts)];
}

/** Every error message ends with what to do next. */
function expectFailure(called: Called, code: number, named: RegExp): void {
  expect(called.stderr).toMatch(named);
  expect(called.stderr).toMatch(/\nhint: .+\n$/);
  expect(called.stdout).toBe("");
  expect(called.code).toBe(code);
}

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test("[CM1 CM2 CM4] a run that is done exits 0 and prints one document; status prints the same", async () => {
  const site = newSite();
  const script = writeScript(site, featureScript([story("US-001")]));
  const called = await site.pawl("run", "feature-dev", "Add", "a thing", "--script", script, "--json");
  expectCode(called, 0);
  const document = JSON.parse(called.stdout) as StatusDocument;
  const step = (id: string, kind = "agent", attempts = 1) => ({
    id,
    kind,
    name: id,
    status: "done",
    attempts,
    notes: [],
  });
  expect(document).toEqual({
    run: {
      id: expect.stringMatching(/^[a-z][a-z0-9]{9}$/),
      number: 1,
      workflow: "feature-dev",
      task: "Add a thing",
      status: "done",
      repo: site.repo,
      driver: null,
      branch: "pawl/1-add-a-thing",
      startedAt: isoTime,
      endedAt: isoTime,
      // A program reports nothing.
      usage: {
        costUsd: null,
        estimatedUsd: null,
        inputTokens: null,
        cacheReadTokens: null,
        outputTokens: null,
        unreported: 6,
      },
    },
    signals: [],
    steps: [step("plan"), step("implement", "stories", 0), step("test"), step("pr"), step("review")],
    stories: [
      {
        id: "US-001",
        title: "Title of US-001",
        status: "done",
        dependsOn: [],
        attempts: 1,
        slot: null,
        startedAt: isoTime,
        costUsd: null,
        estimatedUsd: null,
        unreported: 2,
        steps: [step("implement"), step("verify")],
      },
    ],
    gates: [],
    notes: [],
    unfinished: [],
    closing: [],
    waits: "marked",
    why: expect.stringMatching(/^Done in \d+ s\./),
  });
  expect(await site.json(["status"])).toEqual(document);
});

test("[CM3 CM4] a run that fails exits 1 and says why; retry and resume finish it; another retry is refused with 6", async () => {
  const site = newSite();
  const broken = { complain: "disk on fire", exit: 3 };
  const first = [...[1, 2, 3].map((attempt) => ({ ...broken, attempt })), { say: done }];
  const called = await site.pawl(...pair(site, { ...pairActs, first }), "--json");
  expect(called.code).toBe(1);
  const document = JSON.parse(called.stdout) as StatusDocument;
  expect(document.run.status).toBe("failed");
  expect(document.why).toMatch(/exit code 3: disk on fire/);
  expect(called.stderr).toContain("pawl retry 1");
  expect(statuses(document.steps)).toBe("first:failed,second:waiting");

  expect(await site.pawl("resume", "1")).toMatchObject({ code: 6 });
  expect(await site.pawl("retry", "1", "--step", "second")).toMatchObject({ code: 6 });
  expect(await site.pawl("retry", "1", "--step", "first")).toMatchObject({ code: 0 });
  expect(await site.pawl("resume", "1")).toMatchObject({ code: 0 });
  expect((await site.status()).steps[0]).toMatchObject({ status: "done", attempts: 4 });
  expectFailure(await site.pawl("retry", "1"), 6, /error\[REFUSED\]: run #1/);
});

test("[CM3 CM4 CM7] a wrong call, workflow or script exits 2, something missing 4, something unknown 5; nothing is recorded", async () => {
  const site = newSite();
  const good = pair(site);
  const bad = writeAt(site, "bad.yml", "pawl: 1\nid: bad\nsteps:\n  - { id: a, agent: nobody, inputt: x }\n");
  const script = writeAt(site, "bad-script.yml", "steps: { first: [{ shout: hello }] }");
  expectFailure(await site.pawl("run"), 2, /error\[USAGE\]/);
  expectFailure(await site.pawl("run", ...good.slice(1), "--no-such-option"), 2, /error\[USAGE\].*no-such-option/);
  expectFailure(await site.pawl("rnu"), 2, /there is no command "rnu"/);
  expectFailure(await site.pawl("run", bad, "task"), 2, /error\[WORKFLOW_INVALID\][^]*bad\.yml:4/);
  expectFailure(await site.pawl("run", good[1] ?? "", "task", "--script", script), 2, /error\[SCRIPT_INVALID\]/);
  expectFailure(await site.pawl(...good, "--concurrency", "none"), 2, /error\[USAGE\]/);
  expectFailure(
    await site.pawl("resume", "1", "--concurrency", "0"),
    2,
    /--concurrency 0 is not a number from 1 to 64/,
  );
  expectFailure(await site.pawl(...good, "--context", "novalue"), 2, /error\[USAGE\]/);
  // The machine may have a real agent.
  const withoutAgents = { home: site.home, cwd: site.repo, env: { PATH: "/usr/bin:/bin" } };
  expectFailure(await pawl(["run", good[1] ?? "", "task"], withoutAgents), 4, /error\[EXECUTOR_MISSING\]/);
  const program = ["--executor", "command: no-such-program-anywhere"];
  expectFailure(await site.pawl("run", good[1] ?? "", "task", ...program), 4, /error\[EXECUTOR_MISSING\]/);
  expectFailure(await site.pawl(...good, "--repo", site.home), 4, /error\[REPOSITORY_UNUSABLE\]/);
  expectFailure(await site.pawl("run", "no-such-workflow", "task"), 5, /error\[NOT_FOUND\]/);
  const unknown = await site.pawl("status", "7", "--json");
  expect(unknown.code).toBe(5);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: "NOT_FOUND", hint: expect.any(String) } });
  expect(await site.json(["runs"])).toEqual({ runs: [] });
});

test("[CM3] a hint names the whole command, a group lists its commands, and a missing file is named as it was written", async () => {
  const site = newSite();
  expectFailure(await site.pawl("step", "claim"), 2, /'agent'[^]*`pawl step claim --help`/);
  expectFailure(await site.pawl("workflow", "validate"), 2, /'workflow'[^]*`pawl workflow check --help`/);
  expectFailure(await site.pawl("agent"), 2, /`pawl agent` needs a command: run\n[^]*`pawl agent --help`/);
  expectFailure(await site.pawl("prd"), 2, /`pawl prd` needs a command: run, check, import\n/);
  expectFailure(await site.pawl("prd", "check", "gone.json"), 5, /: gone\.json cannot be read/);
  expectFailure(await site.pawl("runs", "--limit", "0"), 2, /--limit 0 is not a number of 1 or more/);
});

test("[CM4 CM14] a run that needs a person exits 3; its gate is shown and answered once, with a note that reaches the next prompt", async () => {
  const site = newSite();
  const script = writeScript(site, { build: [{ say: done }], ship: [{ say: done }] });
  const call = ["run", writeAt(site, "asking.yml", gateWorkflow), "the task", "--script", script];
  const held = await site.json<StatusDocument>(call, 3);
  expect(held.run.status).toBe("held");
  expect(statuses(held.steps)).toBe("build:done,ask:held,ship:waiting");
  const [gate] = held.gates;
  expect(gate).toEqual({
    id: expect.any(String),
    step: "ask",
    story: null,
    question: "Ship it?",
    options: ["approve", "reject"],
    status: "open",
    cause: "step",
    feedback: "",
    tree: expect.stringMatching(/^[0-9a-f]{40}$/),
    openedAt: expect.any(String),
    deadline: null,
  });
  expect(await site.json(["gates"])).toMatchObject({
    gates: [{ id: gate?.id, question: "Ship it?", run: held.run.id }],
  });
  expect((await site.pawl("why", "1")).stdout).toContain("Ship it?");
  expect(await site.pawl("answer", gate?.id ?? "", "perhaps")).toMatchObject({ code: 2 });

  expect(await site.pawl("reject", "1", "--note", "make it blue")).toMatchObject({ code: 0 });
  expect(await site.pawl("answer", gate?.id ?? "", "approve")).toMatchObject({ code: 6 });
  expect(await site.pawl("resume", "1")).toMatchObject({ code: 3 });
  const { file } = (await site.json<{ attempts: { file: string }[] }>(["logs", "1", "build"])).attempts[1] ?? {
    file: "",
  };
  expect(readFileSync(file.replace(/\.log$/, ".prompt.md"), "utf8")).toContain("make it blue");

  expect(await site.pawl("approve", "1")).toMatchObject({ code: 0 });
  expect(await site.pawl("resume", "1")).toMatchObject({ code: 0 });
  expect((await site.status()).gates.map(({ status }) => status)).toEqual(["void", "answered"]);
  expect(await site.pawl("approve", "1")).toMatchObject({ code: 5 });
});

test("[A52 CM2] --detach only records the run; resume drives it with the recorded options; followers see it to its end", async () => {
  const site = newSite();
  const detached = await site.pawl(...pair(site), "--detach");
  expect(detached).toMatchObject({ code: 0 });
  const id = detached.stdout.trim();
  expect((await site.status(id)).run).toMatchObject({ id, status: "running" });
  expect(statuses((await site.status()).steps)).toBe("first:ready,second:waiting");
  expect((await site.pawl("why")).stdout).toMatch(/^first is ready/i);

  const followers = [site.start("events", "1", "--follow", "--json"), site.start("logs", "1", "--follow", "--raw")];
  await until(() => followers[0]?.stdout().includes("run_started"));
  expect(await site.pawl("resume", "1")).toMatchObject({ code: 0 });
  const [events, logs] = await Promise.all(followers.map(({ ended }) => ended));
  expect(events?.code).toBe(0);
  expect(eventLines(events?.stdout ?? "").at(-1)).toMatchObject({ type: "run_ended", status: "done" });
  expect(logs?.stdout).toBe(`said by first\n${done}\n${done}\n`);
});

test("[CM2 X36] --events prints one JSON event per line as it happens, and no secrets; logs and events show the same afterwards", async () => {
  const site = newSite();
  const called = await site.pawl(...pair(site), "--events");
  expectCode(called, 0);
  const events = eventLines(called.stdout);
  expect(events.map(({ type }) => type)).toEqual([
    "run_started",
    "step_readied",
    ...["first", "second"].flatMap((step) => [
      "attempt_dispatched",
      "attempt_began",
      "attempt_ended",
      "outputs_set",
      "step_done",
      step === "first" ? "step_readied" : "run_ended",
    ]),
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  for (const event of events) expect(event).toMatchObject({ at: isoTime, author: expect.any(String), story: null });
  expect(called.stdout).not.toContain('"token"');
  expect(await site.events()).toEqual(events);

  expect(await site.pawl("logs", "1", "first")).toMatchObject({ code: 0, stdout: `said by first\n${done}\n` });
  expect(await site.pawl("logs", "1", "third")).toMatchObject({ code: 5 });
  const { attempts } = await site.json<{ attempts: { step: string; outcome: string; file: string }[] }>(["logs", "1"]);
  expect(attempts.map(({ step, outcome }) => `${step}:${outcome}`)).toEqual(["first:completed", "second:completed"]);
  expect(attempts.every(({ file }) => existsSync(file))).toBe(true);
});

test("[CM6] every command's help has an example, and the task may come from stdin", async () => {
  const site = newSite();
  const { stdout } = await site.pawl("--help");
  const commands = [...stdout.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name ?? "");
  expect(commands).toEqual(expect.arrayContaining(["run", "status", "step", "workflow", "doctor"]));
  const inGroups = ["step claim", "step complete", "workflow check", "workflow simulate", "executor test"];
  const nested = [
    ...inGroups,
    "prd run",
    "prd check",
    "prd import",
    "agent run",
    "scratch append",
    "store backup",
    "store copy",
    "store check",
    "token create",
    "token list",
    "token revoke",
    "project init",
    "project continue",
    "story drop",
    "story add",
    "story edit",
    "story move",
    "story skip",
    "schedule list",
    "schedule add",
    "schedule pause",
    "schedule resume",
    "schedule run",
    "schedule remove",
    "step drop",
  ];
  const groups = nested.map((command) => command.split(" ")[0]);
  for (const command of [...commands.filter((name) => !groups.includes(name)), ...nested]) {
    const help = await site.pawl(...command.split(" "), "--help");
    expect({ command, ...help }).toMatchObject({ command, code: 0, stdout: expect.stringContaining("Example:") });
  }
  const call = ["run", writeAt(site, "pair.yml", pairWorkflow), "-", "--detach"];
  const piped = await pawl(call, { home: site.home, cwd: site.repo, input: "A task\nof two lines\n" });
  expect(piped).toMatchObject({ code: 0 });
  expect((await site.status()).run.task).toBe("A task\nof two lines");
});
