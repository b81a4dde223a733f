// `pawl logs`: how a person opens the session of an attempt with the agent's own command.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AgentsOnPath, agentsOnPath } from "../support/agents-on-path.ts";
import { expectCode, newSite, type Site, writeAt } from "../support/pawl.ts";

const oneStep = `pawl: 1
id: one
agents: { dev: {} }
steps: [{ id: work, agent: dev, input: "do it" }]
`;

/** Prints the events of a session that goes well. */
const claude = (session: string) => `cat > /dev/null
cat <<'EVENTS'
${JSON.stringify({ type: "system", subtype: "init", session_id: session, model: "m" })}
${JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "STATUS: done", session_id: session, usage: {} })}
EVENTS`;

const codex = (session: string) => `cat > /dev/null
echo "$CODEX_HOME" > "$HOME/codex-home"
cat <<'EVENTS'
${JSON.stringify({ type: "thread.started", thread_id: session })}
${JSON.stringify({ type: "item.completed", item: { id: "i", type: "agent_message", text: "STATUS: done" } })}
${JSON.stringify({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } })}
EVENTS`;

interface AttemptDocument {
  readonly executor: string;
  readonly session: string | null;
  readonly open: string | null;
}

async function attemptOf(agents: AgentsOnPath, run = "1"): Promise<AttemptDocument> {
  const called = await agents.pawl("logs", run, "--json");
  expectCode(called, 0);
  const [attempt] = (JSON.parse(called.stdout) as { attempts: readonly AttemptDocument[] }).attempts;
  if (attempt === undefined) throw new Error("there was no attempt");
  return attempt;
}

/** In the user's own checkout, which stays when the run is done. */
async function runInPlace(site: Site, agents: AgentsOnPath, ...args: readonly string[]): Promise<void> {
  expectCode(await agents.pawl("run", writeAt(site, "one.yml", oneStep), "a task", "--in-place", ...args), 0);
}

const id = "0f8e2a51-6c1d-4f5e-9a3b-7d2c1e4b5a60";

test("[CM66] after an attempt's log, stderr says how to open its session; stdout has only the log", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("claude", "2.1.325", claude(id));
  await runInPlace(site, agents);
  const line = `cd ${site.repo} && claude --resume ${id}`;
  const called = await agents.pawl("logs", "1", "work");
  expectCode(called, 0);
  expect(called.stderr).toMatch(/^── work, attempt 1 \(claude, completed\) ──\nthis session can be opened: /);
  expect(called.stderr).toContain(`this session can be opened: ${line}\n`);
  expect(called.stdout).not.toContain("can be opened");
  expect(await attemptOf(agents)).toMatchObject({ session: id, open: line });

  // The printed command works: it calls the program in that directory, with the session.
  agents.put("claude", "2.1.325", 'pwd; echo "$@"');
  const env = { ...process.env, ...agents.env };
  expect(execFileSync("sh", ["-c", line], { env, encoding: "utf8" })).toBe(`${site.repo}\n--resume ${id}\n`);
  const followed = await agents.pawl("logs", "1", "--follow");
  expect(followed.stderr.match(/can be opened/g)).toHaveLength(1);
});

test("[CM66] a tree that was removed with its run is not named", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("claude", "2.1.325", claude(id));
  expectCode(await agents.pawl("run", writeAt(site, "one.yml", oneStep), "a task"), 0);
  rmSync(join(site.home, "worktrees"), { recursive: true, force: true });
  expect(await attemptOf(agents)).toMatchObject({ session: id, open: `claude --resume ${id}` });
});

test("[CM66] Codex's command names the home in which it kept the session", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("codex", "0.166.0", codex(id));
  await runInPlace(site, agents);
  const home = readFileSync(join(site.home, "codex-home"), "utf8").trim();
  expect(home).toBe(join(site.home, "codex"));
  expect(await attemptOf(agents)).toMatchObject({
    open: `cd ${site.repo} && CODEX_HOME=${home} codex resume ${id}`,
  });

  writeFileSync(join(site.home, "config.yml"), "executors: { codex: { isolated: true } }\n");
  await runInPlace(site, agents);
  const isolated = readFileSync(join(site.home, "codex-home"), "utf8").trim();
  expect(isolated).not.toBe(home);
  expect((await attemptOf(agents, "2")).open).toContain(` CODEX_HOME=${isolated} codex `);
});

test("[CM66] the configuration decides which agent and program a name means; without the executor only the id is shown", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("claude-next", "2.1.400", claude(id));
  const file = join(site.home, "config.yml");
  writeFileSync(file, "executors: { judge: { kind: claude, program: claude-next } }\n");
  await runInPlace(site, agents, "--executor", "judge");
  expect(await attemptOf(agents)).toMatchObject({
    executor: "judge",
    open: `cd ${site.repo} && claude-next --resume ${id}`,
  });

  rmSync(file);
  expect(await attemptOf(agents)).toMatchObject({ session: id, open: null });
  expect((await agents.pawl("logs", "1")).stderr).toMatch(new RegExp(`^its session: ${id}$`, "m"));

  mkdirSync(join(site.repo, ".pawl"));
  writeFileSync(join(site.repo, ".pawl/config.yml"), "executors: [\n");
  expect(await attemptOf(agents)).toMatchObject({ session: id, open: null });
});

test("[CM67] a session that is not an id is not shown", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("claude", "2.1.325", claude("x; touch /tmp/evil #\u001b[2J"));
  await runInPlace(site, agents);
  expect(await attemptOf(agents)).toMatchObject({ session: null, open: null });
  const { stderr } = await agents.pawl("logs", "1");
  for (const part of ["session", "touch", "\u001b"]) expect(stderr).not.toContain(part);
});

const twoSteps = `pawl: 1
id: two
agents: { dev: {} }
steps: [{ id: work, agent: dev, input: "do it" }, { id: check, agent: dev, input: "look at it" }]
`;

/** Says a word and edits a file; `filler` bytes of other messages come first. */
const editing = (word: string, filler = 0) => {
  const message = (content: readonly object[]) => ({ type: "assistant", message: { id: "m", content } });
  const events = [
    { type: "system", subtype: "init", session_id: id, model: "m" },
    ...Array.from({ length: Math.ceil(filler / 1_000) }, (_, at) =>
      message([{ type: "text", text: `filler ${at} ${"x".repeat(1_000)}` }]),
    ),
    message([
      { type: "text", text: word },
      { type: "tool_use", id: "t", name: "Edit", input: { file_path: "a.ts", old_string: "one", new_string: "two" } },
    ]),
    { type: "result", subtype: "success", is_error: false, result: "STATUS: done", session_id: id, usage: {} },
  ];
  return `cat > /dev/null\ncat <<'EVENTS'\n${events.map((event) => JSON.stringify(event)).join("\n")}\nEVENTS\nprintf 'a \\033[2Jwarning\\n'`;
};

test("[TE7 TE8 TE9 TE10] logs are readable and say whose line it is, raw or from their end on request, until the run is cleaned", async () => {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("claude", "2.1.325", editing("I look at it first.", 400_000));
  expectCode(await agents.pawl("run", writeAt(site, "two.yml", twoSteps), "a task", "--in-place"), 0);

  const one = await agents.pawl("logs", "1", "work");
  expectCode(one, 0);
  const told = ["I look at it first.", "● Edit a.ts (+1 −1)", "    - one", "    + two"];
  for (const line of told) expect(one.stdout.split("\n")).toContain(line);
  expect(one.stdout).toContain("a \\u001b[2Jwarning");
  const both = (await agents.pawl("logs", "1")).stdout.split("\n").filter((line) => line !== "");
  expect(both.filter((line) => !/^(?:work|check) +│ /.test(line))).toEqual([]);
  for (const name of ["work", "check"]) {
    const own = both.filter((line) => line.startsWith(name)).map((line) => line.slice(line.indexOf("│") + 2));
    expect(own).toEqual(expect.arrayContaining(told));
    expect(own.filter((line) => line.startsWith("filler "))).toHaveLength(400);
  }

  const { attempts } = JSON.parse((await agents.pawl("logs", "1", "--json")).stdout) as {
    attempts: readonly { file: string }[];
  };
  const files = attempts.map(({ file }) => readFileSync(file));
  expect(Buffer.from((await agents.pawl("logs", "1", "--raw")).stdout)).toEqual(Buffer.concat(files));

  const followed = await agents.pawl("logs", "1", "--follow");
  expect(followed.stderr.match(/… \d+ KiB before this are left out/g)).toHaveLength(2);
  expect(followed.stdout).toMatch(/^check +│ I look at it first\.$/m);
  const seen = followed.stdout.match(/^work +│ filler (\d+) /gm) ?? [];
  expect([seen.length > 200, seen.length < 300, seen.at(-1)]).toEqual([true, true, expect.stringMatching(/ 399 $/)]);

  expectCode(await agents.pawl("clean", "--older", "1d"), 0);
  expect((await agents.pawl("logs", "1", "check")).stdout).toContain("I look at it first.");
  expectCode(await agents.pawl("clean", "--older", "0d"), 0);
  for (const { file } of attempts) expect(existsSync(file)).toBe(false);
});
