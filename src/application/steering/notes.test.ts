// Notes and gates as people meet them: what they say is in the next prompt, and a question comes with what an answer needs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { Application } from "../application.ts";
import { resume, run } from "../driving/drive.ts";
import { claim, complete } from "../driving/pull.ts";
import { approve, gatesDocument, openGates } from "../gates/gates.ts";
import { status, whyOf } from "../looking/status.ts";
import { start } from "../starting/start.ts";
import { noteTo } from "./notes.ts";

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: plan, agent: worker, input: "Plan it." }
  - { id: check, gate: "Is {{plan}} good for {{task}}?", deadline: { after: 2d, then: reject } }
  - { id: ship, agent: worker, input: "Ship it." }
`;

/** The agent keeps its prompts and says what it planned. */
function makeSite() {
  const dir = tempDir("pawl-notes-");
  makeRepository(undefined, { dir: join(dir, "repo") });
  for (const folder of ["home", "prompts"]) mkdirSync(join(dir, folder));
  const tell = `[sh, -c, "cat >> ${dir}/told"]`;
  writeFileSync(
    join(dir, "home", "config.yml"),
    `notify:\n  - { kind: command, name: file, on: [needs_you], command: ${tell} }\n`,
  );
  writeFileSync(join(dir, "workflow.yml"), workflow);
  const save = `cat >'${dir}/prompts/'"$PAWL_STEP.$PAWL_ATTEMPT"`;
  const crash = `if [ -e '${dir}/crash' ]; then rm '${dir}/crash'; exit 3; fi`;
  writeFileSync(join(dir, "agent.sh"), `${save}; ${crash}; printf 'STATUS: done\\nPLAN: a blue one\\n'\n`);
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

test("[PN1 PN2 PN4 PR43 GA16 ME1] notes reach the next prompt once, also after a crash, and a question shows what an answer needs", async () => {
  const { dir, app, wanted, prompt } = makeSite();
  const { run: id } = await start(app, wanted);
  const added = await noteTo(app, "1", { text: " use oil \n", author: "user:ada" });
  expect(added).toMatchObject({ run: id, number: 1, note: { text: "use oil", by: "user:ada", attempt: null } });
  expect((await resume(app, "1", { signal })).end).toBe("held");
  expect(prompt("plan")).toContain("# Notes from people\n\n- use oil");

  const shown = {
    question: "Is a blue one good for paint it?",
    options: ["approve", "reject"],
    cause: "step",
    feedback: "PLAN: a blue one",
    deadline: { option: "reject" },
  };
  const { gates } = gatesDocument(await openGates(app));
  expect(gates).toMatchObject([{ ...shown, run: id, number: 1, task: "paint it", tree: expect.any(String) }]);
  expect((await status(app, "1")).document).toMatchObject({ gates: [shown], notes: [] });
  expect(await whyOf(app, "1")).toMatchObject({ number: 1, task: "paint it", gates: [shown] });
  const told = JSON.parse(readFileSync(join(dir, "told"), "utf8")) as object;
  const { question, ...asked } = shown;
  expect(told).toMatchObject({ text: question, gate: asked, run: { number: 1, task: "paint it" } });

  await approve(app, "1", { note: "but darker" });
  expect((await status(app, "1")).document.notes).toMatchObject([{ text: "but darker", attempt: null }]);
  writeFileSync(join(dir, "crash"), "");
  expect((await resume(app, "1", { signal })).end).toBe("done");
  for (const attempt of [1, 2]) expect(prompt("ship", attempt)).toContain("- but darker");
  expect((await status(app, "1")).document.notes).toEqual([]);
});

test("[PR43] an agent that pulls reads its notes in its input", async () => {
  const { app, wanted } = makeSite();
  await start(app, { ...wanted, mayWait: true });
  await noteTo(app, "1", { text: "use oil" });
  const claimed = await claim(app, "small/worker");
  expect(claimed).toMatchObject({ found: true, input: "Plan it.\n\n# Notes from people\n\n- use oil" });
  if (claimed.found) await complete(app, claimed.stepId, { token: claimed.token, text: "STATUS: done" });
  expect((await status(app, "1")).document.notes).toEqual([]);
});

test("[PN3] a note that nobody would read is refused, in words", async () => {
  const { app, wanted } = makeSite();
  await run(app, { ...wanted, signal });
  await expect(noteTo(app, "1", { text: "  " })).rejects.toMatchObject({ code: "USAGE" });
  await expect(noteTo(app, "1", { text: "x".repeat(70_000) })).rejects.toMatchObject({ code: "USAGE" });
  await expect(noteTo(app, "1", { text: "x", story: "US-9" })).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "run #1: the run has no story US-9",
  });
  await approve(app, "1", {});
  await resume(app, "1", { signal });
  await expect(noteTo(app, "1", { text: "x" })).rejects.toMatchObject({ code: "REFUSED" });
});
