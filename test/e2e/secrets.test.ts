// Secrets, end to end: agents read the environment of the process that started them and print it wherever they can. The tests then
// search files, events and documents.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { configuredExecutors, openApp } from "../../src/app.ts";
import { readConfig } from "../../src/runtime/config/config.ts";
import { findHome } from "../../src/system/home.ts";
import { agents } from "../support/agents.ts";
import { expectCode, newSite, pawl, type Site, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { prdSite } from "../support/prd.ts";
import { runGit, tempDir } from "../support/repository.ts";
import { transcripts } from "../support/transcripts.ts";
import { until } from "../support/until.ts";
import { loopWorkflow } from "../support/workflows.ts";

const secret = `s3cr3t-"välue"/4711+x y`;
/** Can be part of a branch, an id and a path. */
const token = "t0k3n-0815-4711-abc";
const env = { MY_SECRET: secret, API_TOKEN: token };

/** Without /proc it cannot be stolen in this way. */
const noThieves = process.platform !== "linux";

const base64 = (text: string) => Buffer.from(text).toString("base64");
/** What must not be found anywhere: the values and their encoded forms. */
const forms = [
  secret,
  token,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  base64(secret).slice(0, -4),
  base64(`me:${secret}`).slice(8, -4),
];

const isIn = (text: string | Buffer) => forms.some((form) => Buffer.from(text).includes(form));

/** Every file, byte by byte, including the store and its write-ahead log. */
function leaksIn(dir: string, except: (name: string) => boolean = () => false): readonly string[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !except(relative(dir, file)) && (isIn(readFileSync(file)) || isIn(file)))
    .map((file) => relative(dir, file));
}

const call = (site: Site, ...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, env });

/** No output for a person or a program contains it. */
async function expectNothingShown(site: Site): Promise<void> {
  for (const args of [
    ["events", "1", "--json"],
    ["events", "1"],
    ["status", "1", "--json"],
    ["status", "1"],
    ["logs", "1"],
    ["why", "1"],
    ["status", secret, "--json"],
  ]) {
    const { stdout, stderr } = await call(site, ...args);
    expect({ args, leaks: isIn(stdout) || isIn(stderr), isEmpty: stdout === "" }).toEqual({
      args,
      leaks: false,
      isEmpty: false,
    });
  }
}

/** An agent in JavaScript that reads `secret` and `token` from its parent, and records beside the home that it did. */
function thief(site: Site, acts: string): string {
  const text = `
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const lines = readFileSync(\`/proc/\${process.ppid}/environ\`, "utf8").split("\\0");
const stolen = (name) => lines.find((line) => line.startsWith(name + "="))?.slice(name.length + 1);
const secret = stolen("MY_SECRET");
const token = stolen("API_TOKEN");
const { PAWL_STEP: step, PAWL_ATTEMPT: attempt } = process.env;
const given = process.env.MY_SECRET ?? process.env.API_TOKEN ?? null;
appendFileSync(${JSON.stringify(site.path("stolen"))}, JSON.stringify({ step, secret, token, given }) + "\\n");
const base64 = (text) => Buffer.from(text).toString("base64");
const all = [secret, token, JSON.stringify({ secret }), encodeURIComponent(secret), base64(secret), base64("me:" + secret)];
console.log(all.join("\\n"));
console.error(all.join("\\n"));
process.stdout.write(secret.slice(0, 9));
await sleep(100);
process.stdout.write(secret.slice(9) + "\\n");
const say = (text) => console.log(text);
${acts}
`;
  return `command: ${process.execPath} ${writeAt(site, "thief.mjs", text)}`;
}

interface Theft {
  readonly step: string;
  readonly secret?: string;
  readonly token?: string;
  readonly given: string | null;
}

/** They stole it, or the test would show nothing; and Pawl did not pass it to them. */
function theftsAt(site: Site): readonly string[] {
  const thefts = readFileSync(site.path("stolen"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Theft);
  for (const theft of thefts) expect(theft).toMatchObject({ secret, token, given: null });
  return thefts.map(({ step }) => step);
}

test.skipIf(noThieves)(
  "[SE5 SE7 SE8 SE9 SE12] what agents steal and print, and what the user wrote, is in no file, event or document",
  async () => {
    const site = newSite();
    const executor = thief(
      site,
      `
const story = { id: "US-" + token, title: "Use " + secret, description: secret, acceptanceCriteria: [secret] };
const next = { id: "US-2", title: token, description: "d", acceptanceCriteria: ["c"], dependsOn: ["US-" + token] };
if (step === "plan") say("STATUS: done\\nFINDINGS: " + secret + "\\nSTORIES_JSON: " + JSON.stringify([story, next]));
if (step === "implement") {
  execFileSync("git", ["commit", "-q", "--allow-empty", "-m", "work with " + secret]);
  say("STATUS: done\\nCHANGES: " + secret + " " + token + "\\n" + token.toUpperCase() + ": x");
}
if (step === "verify") say(attempt === "1" ? "STATUS: retry\\nISSUES: it lacks " + secret : "STATUS: done");
if (step === "publish") say("STATUS: done");
`,
    );
    const file = writeAt(site, "mini.yml", loopWorkflow);
    const task = `Log in with ${token} and ${secret}`;
    const args = ["run", file, task, "--executor", executor, "--context", `hint=${secret}`];
    const run = await pawl(args, { home: site.home, cwd: site.repo, env: { ...env, PAWL_LOG: "json" } });
    expectCode(run, 0);
    expect(isIn(run.stdout) || isIn(run.stderr)).toBe(false);
    expect(theftsAt(site)).toEqual(expect.arrayContaining(["plan", "implement", "verify", "publish"]));

    expect(leaksIn(site.home)).toEqual([]);
    await expectNothingShown(site);
    expect(runGit(site.repo, "branch", "--list")).not.toContain("0815");

    const status = await site.status();
    expect(status.stories.map(({ id, title }) => [id, title])).toEqual([
      ["US-secret-API_TOKEN", "Use [secret:MY_SECRET]"],
      ["US-2", "[secret:API_TOKEN]"],
    ]);
    expect(status.run.task).toBe("Log in with [secret:API_TOKEN] and [secret:MY_SECRET]");
    const logs = join(site.home, "logs", status.run.id);
    const planned = readFileSync(join(logs, "run-plan-1.log"), "utf8");
    // Both streams, each form, and the value that came in two pieces.
    expect(planned.split("[secret:MY_SECRET]").length - 1).toBeGreaterThanOrEqual(2 * 5 + 1);
    const retried = readdirSync(logs).filter((name) => name.endsWith("implement-2.prompt.md"));
    expect(retried.length).toBeGreaterThan(0);
    for (const name of retried) expect(readFileSync(join(logs, name), "utf8")).toContain("it lacks [secret:MY_SECRET]");
  },
);

test.skipIf(noThieves)(
  "[SE7 SE8 SE9] it is not in the text of a crash, a gate, a person or an edit either",
  async () => {
    const site = newSite();
    const executor = thief(site, `console.error("cannot log in as " + secret); process.exit(3);`);
    const text = `pawl: 1
id: crashing
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "{{task}} {{feedback}}", on_error: gate }
  - { id: ship, agent: worker, input: "ship it" }
`;
    expectCode(await call(site, "run", writeAt(site, "crashing.yml", text), "Do it", "--executor", executor), 3);
    const held = JSON.parse((await call(site, "status", "1", "--json")).stdout) as StatusDocument;
    const again = held.gates[0]?.options.find((option) => /again|retry|approve/.test(option)) ?? "";
    expectCode(await call(site, "answer", held.gates[0]?.id ?? "", again, "--note", `the password is ${secret}`), 0);
    expectCode(await call(site, "resume", "1"), 3);
    expect(theftsAt(site)).toEqual(["work", "work"]);
    expectCode(await call(site, "edit", "1", "--describe", "ship", `with ${secret}`, "--reason", `no ${token}`), 0);
    expectCode(await call(site, "cancel", "1", "--reason", `because of ${secret}`), 0);

    expect(leaksIn(site.home)).toEqual([]);
    await expectNothingShown(site);
    const { id } = held.run;
    expect(readFileSync(join(site.home, "logs", id, "run-work-2.prompt.md"), "utf8")).toContain(
      "the password is [secret:MY_SECRET]",
    );
    const ended = (await site.events()).find(({ type }) => type === "attempt_ended");
    expect(ended).toMatchObject({ why: expect.stringContaining("cannot log in as [secret:MY_SECRET]") });
  },
);

test.skipIf(noThieves)(
  "[SE8 SE9] the files of Dynamic Ralph do not contain it, except those that agents wrote themselves",
  async () => {
    const steal = String.raw`s=$(tr '\0' '\n' < /proc/$PPID/environ | sed -n 's/^API_TOKEN=//p')`;
    const amend = (step: string, text: string) =>
      String.raw`edits "[{\"operation\":\"edit_description\",\"target_step_id\":\"${step}\",\"new_description\":\"${text}\"}]"`;
    const site = prdSite([{ id: "US-1", description: `Use ${token}` }, { id: "US-2" }, { id: "US-3" }], {
      acts: {
        "US-1.planning": `${steal}; ${amend("step-003", "first log in with $s")}; echo "- by hand: $s" >> "$PAWL_SHARED/scratch.md"; echo SUMMARY; echo "it is $s"; exit`,
        "US-1.architecture": "exit 5",
        "US-2.planning": `${steal}; ${amend("$s", "nonsense")}`,
        "US-2.architecture": "exit 5",
        "US-3.planning": `${steal}; echo "$s" >&2; exit 4`,
      },
    });
    const args = ["prd", "run", site.prd, "--executor", site.executor];
    const run = await pawl(args, { home: site.home, cwd: site.repo, env });
    expect(run.code).not.toBe(0);
    expect(isIn(run.stdout) || isIn(run.stderr)).toBe(false);
    expect(site.prompt("US-1", "step-001")).toContain("Use [secret:API_TOKEN]");
    expect(site.prompt("US-1", "step-003")).toContain("first log in with [secret:API_TOKEN]");
    expect(site.prompt("US-1", "step-003")).toContain("it is [secret:API_TOKEN]");
    expect(site.prompt("US-1", "step-003")).toContain("by hand: [secret:API_TOKEN]");
    expect(leaksIn(site.path("prompts"))).toEqual([]);
    expect(leaksIn(site.home)).toEqual([]);
    const own = ["scratch.md", "failed"];
    expect(leaksIn(site.shared(), (name) => own.some((part) => name.includes(part)))).toEqual([]);
    expect(readFileSync(site.shared("workflow_state.json"), "utf8")).toContain("[secret:API_TOKEN]");
  },
);

test("[SE10] a workflow or a command line that contains a secret is refused before anything is recorded, with the name of the variable", async () => {
  const site = newSite();
  const text = `pawl: 1\nid: loud\nsteps: [{ id: work, command: "curl -H 'X-Key: ${token}' https://example.invalid" }]\n`;
  const refused = await call(site, "run", writeAt(site, "loud.yml", text), "Do it");
  expectCode(refused, 2);
  expect(refused.stderr).toContain("has the value of API_TOKEN in it");
  expect(refused.stderr).toContain("env: [API_TOKEN]");
  const small = writeAt(
    site,
    "small.yml",
    "pawl: 1\nid: small\nagents: { a: {} }\nsteps: [{ id: work, agent: a, input: x }]\n",
  );
  const named = await call(site, "run", small, "Do it", "--executor", `command: sh -c true ${token}`);
  expectCode(named, 2);
  expect(named.stderr).toContain("has the value of API_TOKEN in it");
  expect(isIn(refused.stderr) || isIn(named.stderr)).toBe(false);
  expect((await site.json<{ runs: unknown[] }>(["runs"])).runs).toEqual([]);
  expect(leaksIn(site.home)).toEqual([]);
  // The user's own files may contain it: they are copied as they are.
  writeFileSync(join(site.home, "config.yml"), `project: { hints: "log in with ${token}" }\n`);
  expectCode(await call(site, "run", small, "Do it", "--executor", "command: echo STATUS: done"), 0);
  expect(leaksIn(site.home, (name) => name === "config.yml")).toEqual([]);
});

/** Agents on PATH that record their environment and then print what such an agent prints. */
function stubsAt(site: Site, note: (who: string) => string): string {
  const dir = site.path("agents");
  mkdirSync(dir);
  for (const name of agents.kinds) {
    const lines = (transcripts[name] ?? []).map((line) => `${JSON.stringify(line)}\n`).join("");
    const text = `[ "$1" = --version ] && { ${note(`${name}-version`)}; echo 99.1.2; exit; }\n${note(name)}\n`;
    writeFileSync(join(dir, name), `#!/bin/sh\n${text}cat > /dev/null\ncat <<'EVENTS'\n${lines}EVENTS\n`);
    chmodSync(join(dir, name), 0o755);
  }
  return `${dir}:${process.env["PATH"] ?? "/usr/bin:/bin"}`;
}

test("[SE12 SE13] no program gets the variable (agents, commands, scripts, steps, checks, setup, messages) except the executor that is allowed it", async () => {
  const site = newSite();
  mkdirSync(site.path("seen"));
  const note = (who: string) => `env > '${site.path("seen")}/${who}'`;
  const path = stubsAt(site, note);
  const program = (who: string) => writeAt(site, `${who}.sh`, `${note(who)}; env; echo STATUS: done`);
  const script = { steps: { "*": [{ run: [note("scripted")], say: "STATUS: done" }] } };
  const config = {
    executors: {
      plain: { command: ["sh", program("plain")] },
      allowed: { command: ["sh", program("allowed")], env: ["MY_SECRET"] },
      played: { kind: "scripted", script: writeAt(site, "script.yml", JSON.stringify(script)) },
    },
    workspace: { setup: [note("setup")] },
    notify: [{ kind: "command", command: ["sh", "-c", note("notify")], on: ["run_done"] }],
  };
  writeFileSync(join(site.home, "config.yml"), JSON.stringify(config));
  const names = [...Object.keys(config.executors), ...agents.kinds];
  const steps = names.map((name) => ({ id: `by-${name}`, agent: name, input: "Do it" }));
  const workflow = {
    pawl: 1,
    id: "everybody",
    agents: Object.fromEntries(names.map((name) => [name, { executor: name }])),
    steps: [
      { id: "first", command: note("step") },
      { id: "checked", agent: "plain", input: "Do it", checks: [note("check")] },
      ...steps,
    ],
  };
  const all = { ...env, PATH: path };
  const start = (...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, env: all });
  expectCode(await start("run", writeAt(site, "everybody.yml", JSON.stringify(workflow)), "Do it"), 0);

  const tree = { concurrency: 1, workspace: "worktree" };
  const body = [
    { id: "code", agent: "plain", input: "{{current_story}}" },
    { id: "land", integrate: {} },
  ];
  const stories = { pawl: 1, id: "trees", agents: { plain: { executor: "plain" } } };
  const inTrees = {
    ...stories,
    steps: [
      { id: "plan", agent: "plain", input: "x" },
      { id: "all", stories: tree, body },
    ],
  };
  const plan = JSON.stringify([{ id: "US-1", title: "t", description: "d", acceptanceCriteria: ["c"] }]);
  writeAt(site, "plain.sh", `${note("plain")}; env; echo STATUS: done; echo 'STORIES_JSON: ${plan}'`);
  await start("run", writeAt(site, "trees.yml", JSON.stringify(inTrees)), "Do it");

  const seen = readdirSync(site.path("seen"));
  const wanted = ["plain", "allowed", "scripted", "step", "check", "setup", "notify", ...agents.kinds];
  expect(wanted.filter((who) => !seen.includes(who))).toEqual([]);
  expect(leaksIn(site.path("seen"))).toEqual(["allowed"]);
  expect(readFileSync(site.path("seen", "allowed"), "utf8")).toContain(`MY_SECRET=${secret}\n`);
  expect(readFileSync(site.path("seen", "allowed"), "utf8")).not.toContain(token);
  // It printed its environment, too.
  expect(leaksIn(site.home)).toEqual([]);
  const { run } = await site.status("1");
  const log = readFileSync(join(site.home, "logs", run.id, "run-by-allowed-1.log"), "utf8");
  expect(log).toContain("MY_SECRET=[secret:MY_SECRET]\n");
});

test("[SE11] Pawl's own log and its warnings contain no secret", async () => {
  process.env["PAWL_TEST_SECRET"] = secret;
  const heard: unknown[] = [];
  const dir = tempDir();
  const parts = await openApp({
    home: findHome({ PAWL_HOME: join(dir, "home") }),
    store: null,
    executors: configuredExecutors(await readConfig(join(dir, "config.yml"), null, agents)),
    log: (event, fields) => heard.push({ event, ...fields }),
    warn: (text) => heard.push(text),
  });
  onTestFinished(() => parts.store.close());
  delete process.env["PAWL_TEST_SECRET"];
  parts.log("message.failed", { why: `exit code 1: ${secret}`, tries: 2 });
  parts.warn(`it said ${secret}`);
  expect(heard).toEqual([
    { event: "message.failed", why: "exit code 1: [secret:PAWL_TEST_SECRET]", tries: 2 },
    "it said [secret:PAWL_TEST_SECRET]",
  ]);
});

test.skipIf(noThieves)("[SE9] the hold of an account does not keep a secret from the agent's message", async () => {
  const site = newSite();
  const result = `{"type":"result","is_error":true,"api_error_status":429,"result":"You have hit your usage limit with $t, resets in 3 hours","usage":{}}`;
  const steal = String.raw`t=$(tr '\0' '\n' < /proc/$PPID/environ | sed -n 's/^API_TOKEN=//p')`;
  const version = `[ "$1" = --version ] && { echo 99.1.2; exit; }`;
  const program = writeAt(
    site,
    "claude",
    `#!/bin/sh\n${version}\n${steal}\ncat > /dev/null\ncat <<END\n${result}\nEND\nexit 1\n`,
  );
  chmodSync(program, 0o755);
  writeFileSync(join(site.home, "config.yml"), `executors: { claude: { program: ${program} } }\n`);
  const file = writeAt(
    site,
    "small.yml",
    "pawl: 1\nid: small\nagents: { a: {} }\nsteps: [{ id: work, agent: a, input: x }]\n",
  );
  const running = startPawl(["run", file, "Do it", "--executor", "claude"], { home: site.home, cwd: site.repo, env });
  await until(async () => (await call(site, "events", "1", "--json")).stdout.includes("attempt_ended"));
  running.child.kill("SIGTERM");
  await running.ended;
  expect((await call(site, "events", "1")).stdout).toContain("[secret:API_TOKEN]");
  expect(leaksIn(site.home)).toEqual([]);
});
