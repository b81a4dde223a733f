// Misbehaving agents, as a person sees them: each ends within a bounded time, with a clear outcome that says what to do, and leaves
// no process behind.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentsOnPath, agentsOnPath } from "../support/agents-on-path.ts";
import {
  type Called,
  eventLines,
  expectCode,
  newSite,
  type Site,
  type StatusDocument,
  writeAt,
} from "../support/pawl.ts";

const oneStep = `pawl: 1
id: one
agents: { dev: {} }
steps: [{ id: work, agent: dev, input: "do it", on_error: fail }]
`;

const done = JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "STATUS: done", usage: {} });

interface Day {
  readonly called: Called;
  readonly agents: AgentsOnPath;
  readonly site: Site;
}

/** One step with `claude` being this shell text. */
async function dayWith(text: string, limits = "{}", version = "2.1.325"): Promise<Day> {
  const site = newSite();
  const agents = agentsOnPath(site);
  agents.put("claude", version, text);
  writeFileSync(join(site.home, "config.yml"), `executors: { claude: { limits: ${limits} } }\n`);
  const called = await agents.pawl("run", writeAt(site, "one.yml", oneStep), "a task");
  expect(processesOf(site)).toEqual([]);
  return { called, agents, site };
}

/** Processes with the site's home in their environment: agents, and everything that they started. */
function processesOf(site: Site): readonly string[] {
  const pids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`HOME=${site.home}`);
    } catch {
      return false; // ended, or owned by another user
    }
  });
}

/** The message must also say what can be done about it. */
function expectFailed({ called }: Day): void {
  expectCode(called, 1);
  expect(called.stderr).toMatch(/Try again with `pawl retry 1`.*\nLook closer: pawl logs 1\n/);
}

interface Ending {
  readonly outcome: string;
  readonly why: string;
}

async function endingOf({ agents }: Day): Promise<Ending> {
  const { stdout } = await agents.pawl("events", "1", "--json");
  const ended = eventLines(stdout).filter(({ type }) => type === "attempt_ended");
  expect(ended).toHaveLength(1);
  return ended[0] as unknown as Ending;
}

describe("[EX46] an agent that cannot be used stops a run before it begins", () => {
  test("not installed", async () => {
    const site = newSite();
    const agents = agentsOnPath(site);
    const called = await agents.pawl("run", writeAt(site, "one.yml", oneStep), "a task", "--executor", "claude");
    expectCode(called, 4);
    expect(called.stderr).toMatch(/is not installed or not on PATH\nhint: npm install --global @anthropic-ai/);
    expect((await agents.pawl("runs", "--json")).stdout).toContain('"runs": []');
  });

  test("too old", async () => {
    const { called, agents } = await dayWith("exit 1", "{}", "1.0.3 (Claude Code)");
    expectCode(called, 4);
    expect(called.stderr).toMatch(/too old: it is 1\.0\.3, and Pawl needs 2\.\S+ or newer\nhint: npm install/);
    expect((await agents.pawl("runs", "--json")).stdout).toContain('"runs": []');
  });

  test("its program does not start", async () => {
    const site = newSite();
    const agents = agentsOnPath(site);
    agents.put("claude", "1'; echo broken >&2; exit 127; echo '");
    const called = await agents.pawl("run", writeAt(site, "one.yml", oneStep), "a task");
    expectCode(called, 4);
    expect(called.stderr).toMatch(/does not work: `claude --version` says: exit code 127[^]*broken/);
  });
});

test("[EX32] one that is not logged in asks a person, and says how to log in", async () => {
  const result = { type: "result", is_error: true, result: "Not logged in · Please run /login", usage: {} };
  const day = await dayWith(`cat > /dev/null; echo '${JSON.stringify(result)}'; exit 1`);
  expectCode(day.called, 3);
  expect(await endingOf(day)).toMatchObject({ why: expect.stringContaining("run `claude` and log in") });
  expect((await day.agents.pawl("why", "1")).stdout).toMatch(/log in/);
});

describe("[EX36] one that waits for input", () => {
  test("a question on the terminal gets no answer: its last output is the reason", async () => {
    const asks = `printf 'Do you trust this folder? [y/N] '; { read -r answer < /dev/tty; } 2> /dev/null; read -r answer; sleep 600`;
    const day = await dayWith(asks, "{ quiet: 1s }");
    expectFailed(day);
    const { outcome, why } = await endingOf(day);
    expect(outcome).toBe("timed_out");
    expect(why).toContain("Do you trust this folder?");
    expect((await day.agents.pawl("why", "1")).stdout).toContain("Do you trust this folder?");
  });

  test("one that never prints a byte counts as not started", async () => {
    const day = await dayWith("sleep 600", "{ start: 1s }");
    expectFailed(day);
    const { outcome, why } = await endingOf(day);
    expect(outcome).toBe("failed");
    expect(why).toMatch(/nothing was printed within 1 s \(try `pawl executor test claude`\)/);
  });
});

test("[EX35] half a line and then a crash: the exit code is the reason, and what it printed is in the log", async () => {
  const day = await dayWith(`printf '{"type":"assistant","mess'; echo 'out of memory' >&2; exit 7`);
  expectFailed(day);
  const { outcome, why } = await endingOf(day);
  expect(outcome).toBe("failed");
  expect(why).toMatch(/exit code 7[^]*out of memory/);
  // Its last letter could begin a secret and is held back, so output of the other stream may come before it.
  expect((await day.agents.pawl("logs", "1", "work")).stdout).toContain('{"type":"assistant","mes');
});

test("[EX27 EX12] 200 MB of noise and then a result: the step is done, and the log is smaller than the output", async () => {
  const flood = `yes 0123456789012345678901234567890123456789012345678901234567890 | head -c 200000000; echo; echo '${done}'`;
  const day = await dayWith(`cat > /dev/null; ${flood}`);
  expectCode(day.called, 0);
  const { stdout } = await day.agents.pawl("logs", "1", "--json");
  const [attempt] = (JSON.parse(stdout) as { attempts: readonly { file: string }[] }).attempts;
  expect(statSync(attempt?.file ?? "").size).toBeLessThan(110_000_000);
});

test("[PS5] one that forks and detaches has ended when it reports its end, and what it left running is stopped", async () => {
  const detached = `setsid sh -c 'echo $$ > "$HOME/pid"; trap "" TERM HUP; sleep 600' > /dev/null 2>&1 < /dev/null &`;
  const day = await dayWith(`${detached} while [ ! -s "$HOME/pid" ]; do sleep 0.01; done; echo '${done}'`);
  expectCode(day.called, 0);
  expect(Number(readFileSync(join(day.site.home, "pid"), "utf8"))).toBeGreaterThan(1);
});

test("[PS4 EX36] one that ignores SIGTERM is killed at its time limit, with its children", async () => {
  const deaf = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & while :; do echo tick; sleep 0.2; done`;
  const day = await dayWith(deaf, "{ wall: 1s }");
  expectFailed(day);
  const { outcome, why } = await endingOf(day);
  expect(outcome).toBe("timed_out");
  expect(why).toContain("stopped at its time limit");
  const status = JSON.parse((await day.agents.pawl("status", "1", "--json")).stdout) as StatusDocument;
  expect(status.steps).toMatchObject([{ id: "work", status: "failed", attempts: 1 }]);
});
