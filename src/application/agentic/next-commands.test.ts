import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agenticProject, type TestProject } from "../../../test/support/agentic-project.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { Application } from "../application.ts";
import { abortAttempt, approveStory, noteStory, rejectStory, retryStory } from "./answers.ts";
import { projectAt } from "./place.ts";
import { say } from "./say.ts";
import { skipStep } from "./skip.ts";
import { viewProject } from "./view.ts";

const signal = new AbortController().signal;

const look = async ({ app }: TestProject) => await viewProject(app, await projectAt(app, undefined));
const refused = async (command: Promise<unknown>) => await command.catch((error: unknown) => error);

const reviewCommands = [
  "pawl project approve",
  "pawl project reject --reason needs_clarification",
  "pawl project reject --reason constitution_violation",
  "pawl project reject --reason scope_warning",
  "pawl project reject --reason default",
];

test("[PJ24 PJ25 PJ7 D45 D88 D89 D90] a review names its commands; others are refused with them, and a rejection without a reason asks", async () => {
  const project = await agenticProject("2", ["US-001", "US-002"]);
  const { app, go } = project;
  const { report } = await go();
  expect(report).toContain(
    "\nType one of:\n  pawl project approve                                 go on with scaffold\n  pawl project reject --reason needs_clarification     go back to bdd\n",
  );
  expect((await look(project)).commands.map(({ command }) => command)).toEqual(reviewCommands);
  for (const command of [retryStory(app, {}), abortAttempt(app, {})])
    expect(await refused(command)).toMatchObject({
      code: "REFUSED",
      hint: expect.stringContaining("`pawl project approve` or `pawl project reject") as string,
    });
  for (const words of [
    "reject",
    "rejected: too slow",
    "stop",
    "retry US-002",
    "skip US-002",
    "looks good, don't ship it",
  ])
    expect(await say(app, words, { signal })).toMatchObject({ action: "unknown", continued: null });
  const asked = await say(app, "reject: too slow", { signal });
  expect(asked.reply).toContain("For which reason?");
  expect(asked.reply).toContain("pawl project reject --reason scope_warning --note 'too slow' ");
  expect((await look(project)).commands.map(({ command }) => command)).toEqual(reviewCommands);
  // What is skipped unseen is in the log, and not in a prompt.
  expect(await refused(skipStep(app, {}))).toMatchObject({ hint: expect.stringContaining("skip --yes") as string });
  const skipped = await skipStep(app, { yes: true });
  expect(skipped.view.state.human_note).toBeNull();
  expect(skipped.view.report).toBe("Project A: next is US-001 scaffold (attempt 1 of 2).\nNext: pawl project continue");
  expect(readFileSync(join(project.root, ".ai/hook.log"), "utf8")).toMatch(/US-001 review skipped by user:/);
});

test("[PJ24 PJ25 PJ26 D48 D51 D89] a step that is stuck or unreadable, a question and a stopped story name the commands that fit", async () => {
  const project = await agenticProject("2");
  const { app, go, report, sessions } = project;
  report("US-001 bdd 1", "no_word_of_ours null");
  for (const attempt of [2, 3]) report(`US-001 bdd ${attempt}`, "failing null");
  report("US-001 bdd 4", "needs_human needs_clarification");
  const stuck = await go();
  expect(stuck.report).toContain(
    "\nType one of:\n  pawl project retry  try bdd again; its attempts are counted anew\n  pawl project skip   take bdd as passed and go on\n  pawl project abort  end the story as failed; `retry` brings it back",
  );
  expect(await refused(approveStory(app, {}))).toMatchObject({
    code: "REFUSED",
    message: "there is nothing to approve; nothing was changed",
    hint: "type `pawl project retry` or `pawl project skip` or `pawl project abort`",
  });
  expect(sessions()).toHaveLength(3);
  expect((await abortAttempt(app, {})).view.report).toMatch(/Next: pawl project retry$/);
  await retryStory(app, {});
  const asked = await go();
  expect(asked.report).toMatch(/^US-001 bdd needs you: (?!-)/);
  expect(asked.report).toContain('pawl project approve --note "YOUR ANSWER"');
  for (const command of [approveStory(app, {}), skipStep(app, {})]) {
    const error = await refused(command);
    expect(error).toMatchObject({ hint: expect.stringContaining('approve --note "YOUR ANSWER"') as string });
    expect((error as Error).message).not.toContain("gate");
  }
  expect(await refused(noteStory(app, { text: " " }))).toMatchObject({ code: "USAGE" });
  const answered = await approveStory(app, { note: "30 items" });
  expect(answered.done).toBe("US-001 bdd has your answer.");
  await go();
  expect(project.prompt("US-001 bdd 5")).toContain("30 items");
});

test("[PJ25 PJ7 D49 D89] a step that is stuck goes where a reason would have led", async () => {
  const project = await agenticProject("2");
  const { app, go, report, sessions } = project;
  for (const attempt of [1, 2, 3, 4, 5]) report(`US-001 impl ${attempt}`, "failing null");
  await go();
  await approveStory(app, {});
  expect((await go()).report).toContain("pawl project reject --reason constitution_violation  go back to sdd-delta");
  expect(await refused(rejectStory(app, { reason: "default" }))).toMatchObject({
    code: "USAGE",
    hint: "use one of: constitution_violation, needs_clarification, scope_warning",
  });
  await rejectStory(app, { reason: "constitution_violation" });
  await go();
  expect(sessions().at(-2)).toBe("US-001 sdd-delta 2");
});

test("[PJ24 PJ26 D9 D89] level 1 says who ends the session, why it did not pass, and skips what it stopped", async () => {
  const project = await agenticProject("1");
  const { app, go, root } = project;
  const before = await look(project);
  expect(before.report).toMatch(/continue\?\nNext: pawl project continue$/);
  const handed = await go({ executor: undefined });
  expect(handed.report).toContain("Writing US-001 BDD scenarios\nGive the prompt above to an executor");
  expect(handed.report).toContain("pawl project hook ");
  const skippedNow = await refused(skipStep(app, {}));
  expect(skippedNow).toMatchObject({ hint: expect.stringContaining("`pawl project abort`") as string });
  const stopped = await abortAttempt(app, {});
  expect(stopped.done).toBe("US-001 bdd is stopped.");
  expect(stopped.view.commands.map(({ command }) => command)).toEqual([
    "pawl project continue",
    "pawl project skip",
    "pawl project abort",
  ]);
  expect((await skipStep(app, {})).done).toBe("US-001 bdd is skipped.");
  // The next step waits for a word, and is skipped as well.
  expect((await skipStep(app, {})).done).toBe("US-001 sdd-delta is skipped.");
  expect((await look(project)).state).toMatchObject({ step: "sdd-delta", status: "pass", human_note: null });
  // From another folder, what is to be typed says which project it means.
  const outside = new Application({ cwd: tempDir(), env: app.env });
  const { commands } = await viewProject(outside, await projectAt(outside, root));
  expect(commands.map(({ command }) => command)).toEqual([`pawl project continue --dir ${root}`]);
  await outside.close();
});
