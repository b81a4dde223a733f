// Fallback: an agent's account is used up or not logged in, and the next executor takes over. Stub programs print what the real
// agents print.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type Site, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { transcripts } from "../support/transcripts.ts";
import { until } from "../support/until.ts";

const usedUp = "You’ve hit your usage limit. Try again at Jan 7th, 2030 7:06 AM.";
const printed: Readonly<Record<string, readonly object[]>> = {
  ...transcripts,
  "codex quota": [
    { type: "thread.started", thread_id: "s-1" },
    { type: "error", message: usedUp },
    { type: "turn.failed", error: { message: usedUp } },
  ],
  "codex past": [
    { type: "thread.started", thread_id: "s-1" },
    { type: "turn.failed", error: { message: usedUp.replace("2030", "2020") } },
  ],
  "claude auth": [
    { type: "system", subtype: "init", session_id: "s-1" },
    {
      type: "result",
      subtype: "success",
      is_error: true,
      terminal_reason: "api_error",
      result: "Not logged in · Please run /login",
    },
  ],
};

/** Programs that print one of the above; each records that it was called. */
function agents(site: Site, plays: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const dir = site.path("agents");
  mkdirSync(dir, { recursive: true });
  for (const [name, play] of Object.entries(plays)) {
    const lines = (printed[play] ?? []).map((line) => `${JSON.stringify(line)}\n`).join("");
    const failed = play.includes(" ") ? "exit 1" : "";
    const text = `[ "$1" = --version ] && { echo 99.0.0; exit; }
echo ${name} >> ${site.path("called")}
cat > /dev/null
cat <<'EVENTS'
${lines}EVENTS
${failed}`;
    writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(dir, name), 0o755);
  }
  return { PATH: `${dir}:/usr/bin:/bin` };
}

const called = (site: Site) =>
  existsSync(site.path("called")) ? readFileSync(site.path("called"), "utf8").trim().split("\n") : [];

const workflow = (dev: string, steps = 1) => `pawl: 1
id: one
agents: { dev: ${dev} }
steps:
${Array.from({ length: steps }, (_, index) => `  - { id: work${index}, agent: dev, input: "do it" }`).join("\n")}
`;

function caller(site: Site, env: Readonly<Record<string, string>>) {
  return (...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, env });
}

test("[AC1 AC3] a used-up account falls back to the next agent, counts no attempt against the step, and says so", async () => {
  const site = newSite();
  const env = agents(site, { codex: "codex quota", claude: "claude" });
  const call = caller(site, env);
  const run = await call(
    "run",
    writeAt(site, "one.yml", workflow("{ executors: [codex, claude] }", 3)),
    "a task",
    "--json",
  );
  expectCode(run, 0);
  // Tried once; the later steps know.
  expect(called(site)).toEqual(["codex", "claude", "claude", "claude"]);
  const { steps } = JSON.parse(run.stdout) as StatusDocument;
  expect(steps.map(({ status, attempts }) => [status, attempts])).toEqual([
    ["done", 2],
    ["done", 1],
    ["done", 1],
  ]);
  const events = await call("events", "1", "--json");
  expect(events.stdout).toContain("codex hit its quota; falling back to claude");
  expect(events.stdout).toContain("claude runs instead of codex: ");
});

test("[AC1] the next run does not try a used-up account either", async () => {
  const site = newSite();
  const env = agents(site, { codex: "codex quota", claude: "claude" });
  const call = caller(site, env);
  const file = writeAt(site, "one.yml", workflow("{}"));
  expectCode(await call("run", file, "a task", "--executor", "codex,claude"), 0);
  expectCode(await call("run", file, "another", "--executor", "codex, claude"), 0);
  expect(called(site)).toEqual(["codex", "claude", "claude"]);
});

test("[AC2 WY6] without a fallback the step waits until the reported reset, and no other step tries the account", async () => {
  const site = newSite();
  const env = { ...agents(site, { codex: "codex quota" }), TZ: "UTC" };
  const call = caller(site, env);
  const file = writeAt(site, "one.yml", workflow("{ executor: codex }"));
  const first = startPawl(["run", file, "a task"], { home: site.home, cwd: site.repo, env });
  await until(async () =>
    (await call("why", "1")).stdout.includes("waits for the account codex until 2030-01-07 07:06"),
  );
  const second = startPawl(["run", file, "another"], { home: site.home, cwd: site.repo, env });
  await until(async () =>
    (await call("why", "2")).stdout.includes("waits for the account codex until 2030-01-07 07:06"),
  );
  expect(called(site)).toEqual(["codex"]);
  for (const running of [first, second]) {
    running.child.kill("SIGINT");
    expectCode(await running.ended, 130);
  }
});

test("[AC3] an agent that is not logged in falls back as well; without a usable fallback, a person is asked", async () => {
  const site = newSite();
  const call = caller(site, agents(site, { claude: "claude auth", gemini: "gemini" }));
  const file = writeAt(site, "one.yml", workflow("{}"));
  expectCode(await call("run", file, "a task", "--executor", "claude,gemini"), 0);
  expect(called(site)).toEqual(["claude", "gemini"]);
  const held = await call("run", file, "another", "--executor", "claude");
  expectCode(held, 3);
  expect((await call("why", "2")).stdout).toMatch(/Not logged in .*run `claude` and log in/);
  // A person who says that they have logged in is believed at once.
  agents(site, { claude: "claude" });
  expectCode(await call("approve", "2"), 0);
  expectCode(await call("resume", "2"), 0);
  expect(called(site)).toEqual(["claude", "gemini", "claude", "claude"]);
});

test("[AC4] a fallback that is not installed is skipped; executors of one agent share its account unless configured otherwise", async () => {
  const site = newSite();
  const env = agents(site, { codex: "codex quota", gemini: "gemini" });
  const call = caller(site, env);
  writeFileSync(
    join(site.home, "config.yml"),
    "executors: { quick: { kind: codex, model: m }, team: { kind: codex, account: team } }\n",
  );
  const file = writeAt(site, "one.yml", workflow("{}"));
  expectCode(await call("run", file, "a task", "--executor", "opencode,codex,quick,gemini"), 0);
  expect(called(site)).toEqual(["codex", "gemini"]);
  expectCode(await call("run", file, "another", "--executor", "quick,team,gemini"), 0);
  expect(called(site)).toEqual(["codex", "gemini", "codex", "gemini"]);
});

test("[AC3] a list as the default executor works like any other list", async () => {
  const site = newSite();
  const call = caller(site, agents(site, { codex: "codex quota", gemini: "gemini" }));
  writeFileSync(join(site.home, "config.yml"), "default_executor: [codex, gemini]\n");
  expectCode(await call("run", writeAt(site, "one.yml", workflow("{}")), "a task"), 0);
  expect(called(site)).toEqual(["codex", "gemini"]);
});

test("[AC1 AC3] a reset time in the past is not believed: the next agent takes over anyway", async () => {
  const site = newSite();
  const call = caller(site, agents(site, { codex: "codex past", gemini: "gemini" }));
  const file = writeAt(site, "one.yml", workflow("{ executors: [codex, gemini] }", 2));
  expectCode(await call("run", file, "a task"), 0);
  expect(called(site)).toEqual(["codex", "gemini", "gemini"]);
});

test("[AC1] an account that works again before its reset is free as soon as a test of its executor succeeds", async () => {
  const site = newSite();
  const env = agents(site, { codex: "codex quota" });
  const call = caller(site, env);
  const file = writeAt(site, "one.yml", workflow("{ executor: codex }"));
  const running = startPawl(["run", file, "a task"], { home: site.home, cwd: site.repo, env });
  await until(async () => (await call("why", "1")).stdout.includes("waits for the account codex"));
  agents(site, { codex: "codex" });
  expectCode(await call("executor", "test", "codex"), 0);
  expectCode(await running.ended, 0);
});

test("[WY6] the run's own repository decides which account a step waits for", async () => {
  const site = newSite();
  const env = agents(site, { codex: "codex quota", claude: "claude" });
  mkdirSync(join(site.repo, ".pawl"));
  writeFileSync(join(site.repo, ".pawl", "config.yml"), "default_executor: codex\n");
  const file = writeAt(site, "one.yml", workflow("{}"));
  const running = startPawl(["run", file, "a task"], { home: site.home, cwd: site.repo, env });
  const elsewhere = () => pawl(["why", "1"], { home: site.home, cwd: site.home, env });
  await until(async () => (await elsewhere()).stdout.includes("waits for the account codex"));
  running.child.kill("SIGINT");
  expectCode(await running.ended, 130);
});

test("[AC4] a preset or a command whose program is missing is skipped, too", async () => {
  const site = newSite();
  const call = caller(site, agents(site, { gemini: "gemini" }));
  writeFileSync(
    join(site.home, "config.yml"),
    "executors: { mine: { kind: acp, preset: claude }, tool: { command: [no-such-program] } }\n",
  );
  const file = writeAt(site, "one.yml", workflow("{}"));
  expectCode(await call("run", file, "a task", "--executor", "mine,tool,gemini"), 0);
  expect(called(site)).toEqual(["gemini"]);
});
