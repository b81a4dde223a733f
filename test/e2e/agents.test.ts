// Agents found on PATH, with stub programs in place of the real ones.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type Site, type StatusDocument, writeAt } from "../support/pawl.ts";
import { transcripts } from "../support/transcripts.ts";

/** A directory with programs that print what that agent prints, and besides them only git and a shell. */
function agentsAt(site: Site, versions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const dir = site.path("agents");
  mkdirSync(dir);
  for (const [name, version] of Object.entries(versions)) {
    const lines = (transcripts[name] ?? []).map((line) => `${JSON.stringify(line)}\n`).join("");
    const text = `[ "$1" = --version ] && { echo "${version}"; exit; }\ncat > /dev/null\ncat <<'EVENTS'\n${lines}EVENTS\n`;
    writeFileSync(join(dir, name), `#!/bin/sh\n${text}`);
    chmodSync(join(dir, name), 0o755);
  }
  return { PATH: `${dir}:/usr/bin:/bin` };
}

const oneStep = `pawl: 1
id: one
agents: { dev: {} }
steps: [{ id: work, agent: dev, input: "do it" }]
`;

test("[EX49] an agent on PATH needs no configuration: it is listed and tested, and is the default where none is chosen", async () => {
  const site = newSite();
  const env = agentsAt(site, { codex: "codex-cli 0.166.0", claude: "2.1.325 (Claude Code)", gemini: "0.1.9" });
  const call = (...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, env });

  const listed = await call("executor", "list", "--json");
  expectCode(listed, 0);
  const { executors } = JSON.parse(listed.stdout) as { executors: readonly Record<string, unknown>[] };
  expect(executors).toMatchObject([
    { name: "claude", kind: "claude", installed: true, version: "2.1.325", isDefault: true },
    { name: "codex", kind: "codex", installed: true, version: "0.166.0", isDefault: false },
    { name: "gemini", installed: false, version: "0.1.9", problem: expect.stringContaining("too old") },
  ]);

  const doctor = await call("doctor");
  expectCode(doctor, 0);
  expect(doctor.stdout).toMatch(/ok +executor claude +2\.1\.325, default/);
  expect(doctor.stdout).toMatch(/optional +executor gemini .+too old: it is 0\.1\.9/);
  expect(doctor.stderr).toContain("hint: executor gemini: npm install --global @google/gemini-cli");

  const tested = await call("executor", "test", "codex");
  expectCode(tested, 0);
  expect(tested.stdout).toBe("codex works (0.166.0)\n");

  const run = await call("run", writeAt(site, "one.yml", oneStep), "a task", "--json");
  expectCode(run, 0);
  const { usage } = (JSON.parse(run.stdout) as StatusDocument).run;
  expect(usage).toEqual({
    costUsd: 0.3,
    estimatedUsd: 0,
    inputTokens: 35,
    cacheReadTokens: 15,
    outputTokens: 10,
    unreported: 0,
  });
});

test("[EX49] configured executors come before those that were only found", async () => {
  const site = newSite();
  const env = agentsAt(site, { codex: "codex-cli 0.166.0", claude: "2.1.325 (Claude Code)" });
  const call = (...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, env });
  writeFileSync(
    join(site.home, "config.yml"),
    "executors: { mine: { command: [cat] }, quick: { kind: codex, model: m } }\n",
  );
  const { executors } = JSON.parse((await call("executor", "list", "--json")).stdout) as {
    executors: readonly { name: string; isDefault: boolean }[];
  };
  expect(executors.map(({ name, isDefault }) => `${name}${isDefault ? "!" : ""}`)).toEqual([
    "mine",
    "quick!",
    "claude",
    "codex",
  ]);
});

test("[EX49] without an agent, a run lists the possible ones; a missing one is named with how to install it", async () => {
  const site = newSite();
  const env = { PATH: "/usr/bin:/bin" };
  const call = (...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, env });
  const doctor = await call("doctor");
  expectCode(doctor, 0);
  expect(doctor.stdout).toMatch(/optional +executor +no agent was found/);
  expect(doctor.stderr).toMatch(/it has no agent: .* no run can do any work\.\n$/);
  const file = writeAt(site, "one.yml", oneStep);
  expectCode(await call("run", file, "a task"), 4);
  const absent = await call("run", file, "a task", "--executor", "opencode");
  expectCode(absent, 4);
  expect(absent.stderr).toContain("OpenCode (`opencode`) is not installed");
  expect(absent.stderr).toContain("hint: npm install --global opencode-ai");
  const unknown = await call("executor", "test", "constructor");
  expectCode(unknown, 4);
  expect(unknown.stderr).toContain("claude, codex, opencode");
});

test("[EX32] an agent that is not logged in fails its attempt, and the message says what to do", async () => {
  const site = newSite();
  const result = { type: "result", is_error: true, result: "Not logged in", usage: { input_tokens: 7 } };
  const text = `#!/bin/sh\n[ "$1" = --version ] && { echo 2.1.325; exit; }\necho '${JSON.stringify(result)}'; exit 1\n`;
  const program = writeAt(site, "claude", text);
  chmodSync(program, 0o755);
  writeFileSync(join(site.home, "config.yml"), `executors: { claude: { program: ${program} } }\n`);
  const call = await site.pawl("run", writeAt(site, "one.yml", oneStep), "a task", "--executor", "claude", "--json");
  expect(call.code).not.toBe(0);
  const [ended] = (await site.events()).filter(({ type }) => type === "attempt_ended");
  expect(ended).toMatchObject({
    outcome: "failed",
    why: "Not logged in (run `claude` and log in, or set ANTHROPIC_API_KEY)",
    usage: { inputTokens: 7 },
  });
});

/** Claude Code's last event when the API rejects its key. */
const notLoggedIn = {
  type: "result",
  subtype: "success",
  is_error: true,
  api_error_status: 401,
  api_error_type: "authentication_error",
  terminal_reason: "api_error",
  result: "Invalid API key",
  session_id: "s",
  usage: {},
};

test("[PF9 AT15] an agent that is not logged in asks a person once; after the answer the step runs again", async () => {
  const site = newSite();
  const env = agentsAt(site, { claude: "2.1.325 (Claude Code)" });
  const program = join(site.path("agents"), "claude");
  const works = readFileSync(program, "utf8");
  const fails = works.replace(/cat <<'EVENTS'[^]*$/, `echo '${JSON.stringify(notLoggedIn)}'\nexit 1\n`);
  writeFileSync(program, fails);
  const call = (...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, env });
  const held = await call("run", writeAt(site, "one.yml", oneStep), "a task", "--json");
  expectCode(held, 3);
  const { gates, steps } = JSON.parse(held.stdout) as StatusDocument;
  expect(gates).toMatchObject([
    { status: "open", question: expect.stringMatching(/API key/), options: ["again", "stop"] },
  ]);
  expect(steps).toMatchObject([{ status: "held", attempts: 1 }]);

  writeFileSync(program, works);
  expectCode(await call("answer", gates[0]?.id ?? "", "again"), 0);
  expectCode(await call("resume", "1"), 0);
});
