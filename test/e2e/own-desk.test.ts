// Agents that Pawl started and that report by commands of Pawl, at their desk: they have no address of the store.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openToolServer } from "../../src/mcp/attempts.ts";
import { deskFor } from "../support/desks.ts";
import { agent as agentStep } from "../support/engine/workflow.ts";
import { eventLines, expectCode, newSite, pawl, type Site, writeAt } from "../support/pawl.ts";

const pawlOfAgents = `'${process.execPath}' '${fileURLToPath(new URL("../../bin/pawl", import.meta.url))}'`;

/** Runs one step of an agent that is shell text, and prints no verdict itself. */
async function runAgent(site: Site, text: string, step = "") {
  const agent = writeAt(site, "agent.sh", `cat > /dev/null\necho "$PAWL_ATTEMPT" >> '${site.path("began")}'\n${text}`);
  const workflow = `pawl: 1\nid: small\nagents: { worker: {} }\nsteps: [{ id: work, agent: worker${step} }]\n`;
  const file = writeAt(site, "small.yml", workflow);
  const called = await site.pawl("run", file, "Do it", "--executor", `command: sh ${agent}`);
  return { called, began: readFileSync(site.path("began"), "utf8") };
}

test("[CM81 PF15] an attempt that Pawl performs is not ended by its id alone, and is by its agent, which has no store in its environment", async () => {
  const site = newSite();
  const call = `${pawlOfAgents} step complete $PAWL_ATTEMPT_ID "STATUS: done"`;
  const without = site.path("without");
  const { called, began } = await runAgent(
    site,
    `env > '${site.path("env")}'
env -u PAWL_TOKEN ${call} > '${without}'; echo "exit $?" >> '${without}'
${call} > '${site.path("with")}'
`,
  );
  expectCode(called, 0);
  expect(began).toBe("1\n");
  expect(readFileSync(without, "utf8")).toMatch(/"accepted":false,"why":"[^"]*token[^"]*"\}\nexit 6/);
  expect(JSON.parse(readFileSync(site.path("with"), "utf8"))).toMatchObject({ accepted: true, outcome: null });
  expect(readFileSync(site.path("env"), "utf8")).not.toMatch(/^PAWL_(?:HOME|STORE)=/m);
});

test("[PF15] what an agent hands in is read as what it prints, is in its log, and counts although the agent then hangs", async () => {
  const site = newSite();
  const { called, began } = await runAgent(
    site,
    `printf 'CHANGES: a theme\nSTATUS: done\n' | ${pawlOfAgents} step complete $PAWL_ATTEMPT_ID
[ "$PAWL_ATTEMPT" = 1 ] || sleep 600
`,
    ', checks: ["test -e checked || { touch checked; exit 1; }"], on: { rejected: { again, at_most: 1 } }',
  );
  expectCode(called, 0);
  // Its checks judged it, too.
  expect(began).toBe("1\n2\n");
  expect((await site.pawl("logs", "1", "work")).stdout).toContain("CHANGES: a theme");
  const { stdout } = await site.pawl("events", "1", "--json");
  const ends = eventLines(stdout).filter(({ type }) => type === "attempt_ended");
  expect(ends.map(({ outcome }) => outcome)).toEqual(["completed", "completed"]);
});

test("[PF15] an agent that says by `step fail` that it cannot do its work has failed with these words", async () => {
  const site = newSite();
  const { called } = await runAgent(site, `${pawlOfAgents} step fail $PAWL_ATTEMPT_ID no compiler`, ", on_error: fail");
  expectCode(called, 1);
  expect(called.stderr).toContain("no compiler");
});

test("[PF15] where the process of Pawl is gone, or the attempt is over, its agent hears so and what to do", async () => {
  const { home, repo } = newSite();
  const call = async (url: string) =>
    await pawl(["step", "complete", "at-1", "STATUS: done"], {
      home,
      cwd: repo,
      env: { PAWL_DESK: url, PAWL_TOKEN: "t", PAWL_ATTEMPT_ID: "at-1" },
    });
  const gone = await call("http://127.0.0.1:9/mcp/at-1");
  expectCode(gone, 6);
  expect(gone.stderr).toMatch(
    /the process of Pawl that started this agent cannot be reached: .*ECONNREFUSED.*\n.*end your turn/,
  );
  const server = openToolServer();
  onTestFinished(() => server.close());
  const open = await server.open(deskFor(agentStep("work")).desk);
  open.close();
  const over = await call(open.url);
  expectCode(over, 6);
  expect(JSON.parse(over.stdout)).toEqual({ accepted: false, why: "there is no such attempt, or it has ended" });
});
