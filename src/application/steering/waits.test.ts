// Runs that ask before their steps, and attempts that a person stops, with real processes.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { isAlive, processIdentity } from "../../system/process/identity.ts";
import { Application } from "../application.ts";
import { resume, run } from "../driving/drive.ts";
import { claim, complete } from "../driving/pull.ts";
import { answer, approve } from "../gates/gates.ts";
import { status } from "../looking/status.ts";
import { start } from "../starting/start.ts";
import { setWaits } from "./steer.ts";
import { stopRunningAttempt } from "./stop-attempt.ts";

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: plan, agent: worker, input: "Plan it." }
  - { id: ship, agent: worker, input: "Ship it." }
`;

/** The agent keeps its prompts; while the file \`slow\` is there, it says its process id and works on. */
function makeSite() {
  const dir = tempDir("pawl-waits-");
  makeRepository(undefined, { dir: join(dir, "repo") });
  for (const folder of ["home", "prompts"]) mkdirSync(join(dir, folder));
  writeFileSync(join(dir, "workflow.yml"), workflow);
  const save = `cat >'${dir}/prompts/'"$PAWL_STEP.$PAWL_ATTEMPT"`;
  const work = `if [ -e '${dir}/slow' ]; then echo half >half.txt; echo $$ >'${dir}/pid.new'; mv '${dir}/pid.new' '${dir}/pid'; sleep 600; fi`;
  writeFileSync(join(dir, "agent.sh"), `${save}; ${work}; printf 'STATUS: done\\nPLAN: a blue one\\n'\n`);
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
  onTestFinished(async () => await app.close());
  return {
    dir,
    app,
    wanted: { workflow: "./workflow.yml", task: "paint it", repo: "repo", executor: "command: sh ./agent.sh" },
    prompt: (step: string, attempt = 1) => readFileSync(join(dir, "prompts", `${step}.${attempt}`), "utf8"),
  };
}

const { signal } = new AbortController();

test("[WT1 WT2 WT4 WT5 CM101] a run at level all asks before each step, takes notes, and asks no more when the level falls", async () => {
  const { app, wanted, prompt } = makeSite();
  const asked = await run(app, { ...wanted, waits: "all", signal });
  expect(asked.end).toBe("held");
  const { document } = await status(app, "1");
  expect(document).toMatchObject({ waits: "all", gates: [{ cause: "waits", step: "plan", tree: null }] });
  expect(document.why).toContain("plan is ready to start. Continue?");

  await approve(app, "1", { note: "use oil" });
  await expect(approve(app, "1", {})).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect((await resume(app, "1", { signal })).end).toBe("held");
  expect(prompt("plan")).toContain("- use oil");
  expect((await status(app, "1")).document.gates.at(-1)).toMatchObject({
    step: "ship",
    status: "open",
    feedback: "PLAN: a blue one",
  });

  await setWaits(app, "1", "none");
  expect((await status(app, "1")).document).toMatchObject({ waits: "none", run: { status: "running" } });
  expect((await resume(app, "1", { signal })).end).toBe("done");
});

test("[AT19 CM102 LC4] a person stops an attempt: its process ends, its work is put away, and the run waits for the answer", async () => {
  const { dir, app, wanted } = makeSite();
  writeFileSync(join(dir, "slow"), "");
  const driving = run(app, { ...wanted, signal });
  await until(() => existsSync(join(dir, "pid")));
  const agent = processIdentity(Number(readFileSync(join(dir, "pid"), "utf8")));
  expect(agent).not.toBeNull();
  const other = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
  onTestFinished(async () => await other.close());
  await expect(stopRunningAttempt(other, "1", { step: "ship" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await stopRunningAttempt(other, "1", { reason: "wrong colour" })).toMatchObject({
    number: 1,
    step: "plan",
    attempt: 1,
    ended: false,
  });
  expect((await driving).end).toBe("held");
  expect(agent !== null && isAlive(agent)).toBe(false);
  await expect(stopRunningAttempt(other, "1")).rejects.toMatchObject({ code: "REFUSED" });
  const { document } = await status(app, "1");
  expect(document.gates).toMatchObject([{ cause: "stopped", question: "plan was stopped. Start it again?" }]);

  rmSync(join(dir, "slow"));
  await answer(app, document.gates[0]?.id ?? "", { option: "continue" });
  expect((await resume(app, "1", { signal })).end).toBe("done");
  expect((await status(app, "1")).document.steps).toMatchObject([
    { id: "plan", attempts: 2 },
    { id: "ship", attempts: 1 },
  ]);
});

test("[AT19 CM102] a pulled attempt ends at once, and a late report of it is refused", async () => {
  const { app, wanted } = makeSite();
  await start(app, { ...wanted, executor: undefined, mayWait: true });
  const claimed = await claim(app, "small_worker");
  expect(await stopRunningAttempt(app, "1")).toMatchObject({ step: "plan", ended: true });
  const { stepId = "", token = "" } = claimed as { stepId?: string; token?: string };
  expect(await complete(app, stepId, { token, text: "STATUS: done" })).toMatchObject({ accepted: false });
  await approve(app, "1", {});
  expect((await status(app, "1")).document.run.status).toBe("running");
});
