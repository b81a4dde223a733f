// Sessions of a lifecycle, with real skills: where they start, where they stop, and what lets them continue.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  folderProject,
  lifecycleProject,
  planned,
  statusFile,
  writeProject,
} from "../../../test/support/lifecycle-project.ts";
import { runGit } from "../../../test/support/repository.ts";
import { exitCodes } from "../../domain/error.ts";
import { newDriverName } from "../../runtime/worker.ts";
import { deadlineIn } from "../../system/clock.ts";
import { answer } from "../gates/gates.ts";
import { cancel } from "../steering/steer.ts";
import { lifecycleStatus } from "./execute.ts";
import { performCall } from "./perform.ts";
import { lifecyclePosition } from "./position.ts";
import { stopWords } from "./session-text.ts";
import type { LifecycleEnd, MovedSession } from "./start.ts";
import { sessionSummary } from "./view.ts";

function moved(end: LifecycleEnd): MovedSession {
  if (end.kind !== "moved") throw new Error(`it is ${end.kind}`);
  return end;
}

/** Where it stopped. */
function stopOf(end: LifecycleEnd) {
  const { view, driven } = moved(end);
  return { end: driven?.end ?? null, kind: view.stop?.kind ?? null, step: view.stop?.step ?? null };
}

const decision = (step: string) => ({ end: "held", kind: "decision", step });

describe("a session", () => {
  test("[LE1 LE4 E2 E9 E27 E32 E75] starts where the project stands, and stops before the first decision", async () => {
    const project = lifecycleProject();
    expect(stopOf(await project.start())).toEqual(decision("post-verify"));
    expect(project.calls()).toEqual([
      'maestro-brainstorm "Build a shop"',
      "maestro-init",
      'maestro-roadmap "Build a shop"',
      "maestro-analyze 1",
      "maestro-plan 1",
      "maestro-execute 1",
      "maestro-verify 1",
    ]);
    expect(project.plans).toEqual([expect.stringContaining("[ ] 3. maestro-analyze {phase} [skill/barrier]")]);
    expect(project.status()).toMatchObject({ status: "running", phase: 1, milestone: "M1", current_step: 7 });
  });

  test("[LE4 LE5 E3 E9 E34] needs exactly one `execute` for each decision", async () => {
    const project = lifecycleProject(planned());
    await project.start();
    const stops: (string | null)[] = [];
    for (;;) {
      const stop = stopOf(await project.execute());
      stops.push(stop.step);
      if (stop.end !== "held") break;
    }
    expect(stops).toEqual(["post-business-test", "post-review", "post-test", "post-milestone", null]);
    expect(project.status()).toMatchObject({ status: "completed" });
  });

  test("[LE3 E33] that nobody agreed to leaves nothing", async () => {
    const project = lifecycleProject();
    const end = await project.start("Go", { confirm: async () => await Promise.resolve(false) });
    expect(end.kind).toBe("declined");
    expect(existsSync(join(project.root, ".workflow"))).toBe(false);
    await expect(project.execute()).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("E006"),
    });
  });

  test("[LE3] that cannot start leaves no folder, so that the project stands where it stood", async () => {
    const project = lifecycleProject();
    await expect(project.start("Go", { executor: "nobody-has-this" })).rejects.toMatchObject({
      code: "EXECUTOR_MISSING",
    });
    expect(existsSync(join(project.root, ".workflow"))).toBe(false);
  });

  test("[LE5 E14 E54] whose skill failed is held there, and `execute` makes that call again", async () => {
    const project = folderProject(planned());
    project.plan({ "maestro-plan 1": ["failed", "crash"] });
    expect(stopOf(await project.start())).toEqual({ end: "held", kind: "failed", step: "plan" });
    expect(project.status()).toMatchObject({ status: "paused" });
    expect(project.status().steps[1]).toMatchObject({ stage: "plan", status: "failed", error: "there was no network" });
    expect(project.status().steps[2]).toMatchObject({ status: "pending" });
    expect(stopOf(await project.execute())).toEqual({ end: "held", kind: "failed", step: "plan" });
    expect(stopOf(await project.execute())).toEqual(decision("post-verify"));
    expect(project.calls().filter((call) => call.startsWith("maestro-plan"))).toHaveLength(3);
  });

  test("[LE6 LD4 E63 E64] whose result file is missing asks with the file, and `execute` reads again", async () => {
    const project = folderProject(planned());
    project.plan({ "quality-review 1": ["nothing"] });
    await project.start();
    await project.execute();
    await project.execute();
    const asked = await project.execute();
    expect(stopOf(asked)).toEqual({ end: "held", kind: "unknown", step: "post-review" });
    const { view } = moved(asked);
    expect(view.stop?.gate.question).toMatch(/-verify-P1-M1\/review\.json/);
    expect(view.stop?.gate.feedback).toMatch(/^E004: there is no review\.json/);
    expect(view.status.pawl.codes.at(-1)).toMatchObject({ code: "E004", step: "M1-P1/post-review" });
    const dir = readdirSync(join(view.workspace, ".workflow/scratch")).find((name) => name.includes("-verify-")) ?? "";
    writeFileSync(join(view.workspace, ".workflow/scratch", dir, "review.json"), '{"verdict":"PASS","issues":[]}');
    expect(stopOf(await project.execute())).toEqual(decision("post-test"));
  });

  test("[LE6 E44 LD6] whose limit is used up is escalated with the number of attempts, and what a person mended is verified again", async () => {
    const project = folderProject(planned());
    project.plan({ "maestro-verify 1": ["fix", "fix", "fix"] });
    await project.start();
    await project.execute();
    await project.execute();
    const escalated = await project.execute();
    expect(stopOf(escalated)).toEqual({ end: "held", kind: "escalated", step: "escalate" });
    const { view } = moved(escalated);
    expect(view.stop?.gate.feedback).toMatch(
      /limit of 2 reached, after 3 attempts of post-verify and \d+ attempts in all in story M1-P1/,
    );
    expect(view.status).toMatchObject({ status: "paused" });
    expect(view.status.pawl.codes.map(({ code }) => code)).toEqual(["W001", "W001", "W002"]);
    expect(project.calls().filter((call) => call.startsWith("quality-debug"))).toHaveLength(3);
    expect(stopOf(await project.execute())).toEqual(decision("post-verify"));
    expect(project.calls().filter((call) => call === "maestro-verify 1")).toHaveLength(4);
    expect(stopOf(await project.execute())).toEqual(decision("post-business-test"));
  });

  test("[LE5] whose skill failed continues although a person has mended its tree meanwhile", async () => {
    const project = lifecycleProject({ ...planned(), "a.txt": "broken\n" });
    project.plan({ "maestro-plan 1": ["failed"] });
    const { view } = moved(await project.start());
    writeFileSync(join(view.workspace, "a.txt"), "mended\n");
    expect(stopOf(await project.execute())).toEqual(decision("post-verify"));
    expect(readFileSync(join(view.workspace, "a.txt"), "utf8")).toBe("mended\n");
  });

  test("[LE5] that a person stopped starts again at that step", async () => {
    const project = folderProject(planned());
    project.plan({ "maestro-plan 1": ["failed"] });
    const { view } = moved(await project.start());
    await answer(project.app, view.stop?.gate.id ?? "", { option: "stop" });
    expect(stopOf(await project.execute())).toEqual(decision("post-verify"));
  });

  test("[LE2 E22] works on the phase that the intent or an option names; a phase that is not there is refused", async () => {
    const milestones = [{ id: "M1", name: "First", status: "active", phases: [1, 2, 3] }];
    const project = folderProject(planned(milestones));
    await project.start("finish phase 2, please");
    expect(project.calls().at(-1)).toBe("maestro-verify 2");
    await project.start("Go", { phase: "3" });
    expect(project.calls().at(-1)).toBe("maestro-verify 3");
    await expect(project.start("Go", { phase: "9" })).rejects.toMatchObject({
      exitCode: exitCodes.usage,
      message: expect.stringContaining("E002"),
    });
    await project.start("look at phase 9");
    expect(project.notes.join("\n")).toContain("the intent names phase 9");
    expect(project.calls().at(-1)).toBe("maestro-verify 1");
  });

  test("[LE2 E22 LE6] whose phase the roadmap does not have asks, says which there are, and reads again", async () => {
    const project = lifecycleProject();
    const asked = await project.start("Go", { phase: "9" });
    expect(stopOf(asked)).toEqual({ end: "held", kind: "unknown", step: "locate" });
    expect(moved(asked).view.stop?.gate.feedback).toBe("E002: milestone M1 has no phase 9: it has 1");
    const state = JSON.parse(project.file(".workflow/state.json")) as { milestones: { phases: number[] }[] };
    state.milestones[0]?.phases.push(9);
    writeProject(project.root, { ".workflow/state.json": state });
    const { view, project: where } = moved(await project.execute());
    expect(project.calls().at(-1)).toBe("maestro-verify 9");
    expect(sessionSummary(view, where)).toMatchObject({ phase: 9 });
    expect(lifecyclePosition(project.app, { phase: "9" })).toMatchObject({ phase: 9 });
  });

  test("[LE2 E22] takes a phase in each spelling; several phases, or none that is there, are said before the question", async () => {
    const milestones = [{ id: "M1", name: "First", status: "active", phases: [1, 2, 3] }];
    const project = lifecycleProject(planned(milestones));
    const said: string[] = [];
    const ask = async (intent: string) => {
      const notes: string[] = [];
      await project.start(intent, {
        onNote: (note) => notes.push(note),
        confirm: async (plan) => {
          said.push(`${/Phase (\d)/.exec(plan)?.[1]} ${notes.join("")}`.trim());
          return await Promise.resolve(false);
        },
      });
    };
    for (const spelling of ["Phase-2", "phase #2", "phase 02", "phases 2", "P2", "阶段 2", "阶段2的工作", "第2阶段"])
      await ask(`finish ${spelling}, please`);
    expect(new Set(said)).toEqual(new Set(["2"]));
    await ask("phase 9");
    expect(said.at(-1)).toMatch(/^1 the intent names phase 9, which milestone M1 does not have \(it has 1, 2, 3\)/);
    await ask("a shop for MP3 and 2 phases");
    expect(said.at(-1)).toBe("1");
    for (const intent of ["not phase 2 but 1", "not phase 2 but phase 1", "phases 1-3", "P1 or P2"])
      await expect(ask(intent)).rejects.toMatchObject({
        exitCode: exitCodes.usage,
        hint: expect.stringContaining("--phase"),
      });
  });

  test("[LE7 E33 LE2 E43] with --auto nothing stops it; it takes one phase by itself, and all of the milestone with --all-phases", async () => {
    const milestones = [{ id: "M1", name: "First", status: "active", phases: [1, 2] }];
    const one = folderProject(planned(milestones));
    await one.start("Go", { auto: true });
    expect(one.calls().filter((call) => call.startsWith("quality-test "))).toEqual(["quality-test 1"]);
    const all = folderProject(planned(milestones));
    const { driven } = moved(await all.start("Go", { auto: true, allPhases: true }));
    expect(driven?.end).toBe("done");
    expect(all.status()).toMatchObject({ auto_mode: true, status: "completed" });
    expect(all.calls().filter((call) => call.startsWith("quality-test "))).toEqual([
      "quality-test 1",
      "quality-test 2",
    ]);
    expect(all.calls().filter((call) => call === "maestro-milestone-audit")).toHaveLength(1);
    expect(all.plans[0]).toContain("maestro-analyze 2");
  });

  test("[LE4 E24] that stands before a decision at its start evaluates it at once: the first skill is debug", async () => {
    const path = "20260503-verify-P1-shop";
    const artifacts = [{ type: "verify", milestone: "M1", phase: 1, status: "completed", path }];
    const project = folderProject({
      ...planned(undefined, artifacts),
      [`.workflow/scratch/${path}/verification.json`]: { passed: false, gaps: ["no cart"] },
    });
    expect(stopOf(await project.start())).toEqual(decision("post-verify"));
    expect(project.calls()[0]).toBe('quality-debug "passed is false, with one gap: no cart"');
  });

  test("[LE1] of a project whose milestones are all complete starts nothing, nor does `execute` there", async () => {
    const project = lifecycleProject(planned([{ id: "M1", name: "First", status: "completed", phases: [1] }]));
    expect(await project.start("Sell tea")).toMatchObject({ kind: "complete", intent: "Sell tea" });
    expect((await project.execute()).kind).toBe("complete");
    expect(existsSync(join(project.root, ".workflow/.ralph"))).toBe(false);
  });

  test("[LE8 E61 E62] without an intent, or where the project stands nowhere, is refused", async () => {
    const project = lifecycleProject(planned());
    await expect(project.start(" ")).rejects.toMatchObject({ message: expect.stringContaining("E001"), exitCode: 2 });
    writeProject(project.root, { ".workflow/state.json": '{"milestones": [' });
    await expect(project.start()).rejects.toMatchObject({
      message: expect.stringContaining("E002"),
      details: ['{"milestones": ['],
      exitCode: 2,
    });
    expect(existsSync(join(project.root, ".workflow/.ralph"))).toBe(false);
  });
});

describe("several sessions", () => {
  test("[LE9 E7 E69] in one second have folders of their own; the newest continues, and that is said", async () => {
    const project = folderProject(planned());
    await project.start("one");
    await project.start("two");
    const names = readdirSync(join(project.root, ".workflow/.ralph"));
    expect(new Set(names).size).toBe(2);
    expect(project.notes.join("\n")).toContain("W003");
    const { view } = moved(await project.execute());
    expect(view.status.intent).toBe("two");
    expect(project.notes.at(-1)).toContain("W003");
  });

  test("[LE10 E72] of two that continue one session, the second is refused", async () => {
    const project = folderProject(planned());
    project.hold("quality-business-test");
    await project.start();
    const first = project.execute();
    await expect.poll(() => project.calls("begin").includes("quality-business-test 1")).toBe(true);
    await expect(project.execute()).rejects.toMatchObject({ exitCode: exitCodes.refused });
    project.release("quality-business-test");
    expect(stopOf(await first)).toEqual(decision("post-business-test"));
  });

  test("[LE10] goes on from its stop although the process that drove it there has not left yet", async () => {
    const project = lifecycleProject(planned());
    const { summary } = moved(await project.start()).view.session;
    const { dispatch, store, clock } = (await project.app.read()).parts;
    // A worker that sends the last messages.
    const worker = newDriverName();
    await dispatch.drive({ run: summary.id, worker, until: deadlineIn(clock, 60_000) }, () => true);
    const executed = project.execute();
    await expect.poll(async () => (await store.runById(summary.id))?.status).toBe("running");
    await dispatch.leave(summary.id, worker);
    expect(stopOf(await executed)).toEqual(decision("post-business-test"));
  });

  test("[LE11 E71] of another program is taken over for its intent, and not for its position", async () => {
    const project = lifecycleProject();
    const foreign = {
      intent: "Sell tea",
      status: "completed",
      phase: 7,
      steps: [{ status: "pending" }],
      auto_mode: false,
    };
    writeProject(project.root, { ...planned(), ".workflow/.maestro/maestro-20260101-101010/status.json": foreign });
    const { executor } = project;
    const { view } = moved(await project.execute({ executor }));
    expect(view.status).toMatchObject({ intent: "Sell tea", phase: 1, milestone: "M1" });
    expect(project.plans).toHaveLength(1);
    expect(project.notes.slice(0, 2)).toEqual([
      '.workflow/.maestro/maestro-20260101-101010/status.json was left by another program. Taken over: its intent "Sell tea". ' +
        "Not taken over: its phase 7, which the milestone does not have, and where it stands",
      expect.stringContaining("it says completed, and 1 of its 1 steps are not"),
    ]);
    expect(project.calls()[0]).toBe("maestro-analyze 1");
  });

  test("[LE11] of another program that ran without stops is asked about, and stops at decisions", async () => {
    const project = lifecycleProject();
    const foreign = { intent: "Sell tea", status: "running", auto_mode: true };
    writeProject(project.root, { ...planned(), ".workflow/.ralph/ralph-20260101-101010/status.json": foreign });
    const { executor } = project;
    const declined = await project.execute({ executor, confirm: async () => await Promise.resolve(false) });
    expect(declined.kind).toBe("declined");
    expect(project.notes[0]).toContain("Not taken over: where it stands and its auto_mode");
    await expect(lifecycleStatus(project.app, undefined)).rejects.toMatchObject({
      message: expect.stringContaining("E006"),
      details: [expect.stringContaining('was left by another program (running): "Sell tea"')],
    });
    await expect(lifecycleStatus(project.app, undefined, "anything")).rejects.toMatchObject({
      hint: expect.stringContaining("pawl lifecycle execute"),
    });
    expect(stopOf(await project.execute({ executor }))).toEqual(decision("post-verify"));
  });

  test("[LE11] of another program that is completed is not continued: E006 names it", async () => {
    const project = lifecycleProject();
    const steps = [{ status: "completed" }];
    const foreign = { intent: "old finished thing", status: "completed", auto_mode: true, steps };
    writeProject(project.root, { ...planned(), ".workflow/.maestro/X/status.json": foreign });
    await expect(project.execute({ executor: project.executor, auto: true })).rejects.toMatchObject({
      message: expect.stringContaining("E006"),
      details: ['.workflow/.maestro/X/status.json is completed: "old finished thing"'],
      exitCode: exitCodes.notFound,
    });
    expect(project.calls()).toEqual([]);
  });
});

describe("where the skills work", () => {
  test("[LE12] a .workflow that git does not know stays with the code: both are in the project, whatever session works there", async () => {
    const project = lifecycleProject({ "README.md": "shop\n" });
    const { view } = moved(await project.start());
    expect(view.workspace).toBe(project.root);
    expect(project.notes.join("\n")).toContain("git does not track .workflow: the skills work in");
    // Another session finds what the first one verified, and the code that it verified.
    await cancel(project.app, view.session.summary.id);
    const before = project.calls().length;
    const { driven } = moved(await project.start("Go on", { auto: true }));
    expect(project.calls()[before]).toBe("quality-business-test 1");
    expect(driven).toMatchObject({ end: "done", folder: project.root });
    expect(existsSync(join(project.root, "src/phase-1.txt"))).toBe(true);
  });

  test("[LE12 LE10] two sessions do not work in one folder at once", async () => {
    const project = lifecycleProject();
    project.hold("maestro-init");
    const first = project.start();
    await expect.poll(() => project.calls("begin").includes("maestro-init")).toBe(true);
    await expect(project.start("Another")).rejects.toMatchObject({ exitCode: exitCodes.refused });
    project.release("maestro-init");
    expect(stopOf(await first)).toEqual(decision("post-verify"));
    expect(stopOf(await project.start("Another"))).not.toBeNull();
  });

  test("[LE15 LE12 LS8] a call in the checkout is refused while a session works in a tree of its own; a session that was cancelled says so in words", async () => {
    const project = lifecycleProject(planned());
    const { view } = moved(await project.start());
    const { app, executor } = project;
    const perform = (dir?: string) =>
      performCall(app, { call: "maestro-verify 1", executor, signal: new AbortController().signal, dir });
    await expect(perform()).rejects.toMatchObject({ exitCode: exitCodes.refused });
    expect(await perform(view.workspace)).toMatchObject({ status: "completed" });
    await cancel(app, view.session.summary.id);
    const shown = await lifecycleStatus(app, undefined);
    expect(stopWords(shown.view, shown.project)[0]).toBe("The run was cancelled by the user.");
    await expect(project.execute()).rejects.toMatchObject({ message: expect.stringContaining("E006") });
  });

  test("[LE12] one that git tracks is the tree's own, and must be committed", async () => {
    const project = lifecycleProject(planned());
    const { view } = moved(await project.start());
    expect(view.workspace).not.toBe(project.root);
    expect(JSON.parse(project.file(".workflow/state.json"))).toMatchObject({ artifacts: [] });
    writeProject(project.root, { ".workflow/roadmap.md": "# Other\n" });
    await expect(project.start()).rejects.toMatchObject({ code: "REPOSITORY_DIRTY", exitCode: 2 });
    const inPlace = moved(await project.start("Go", { inPlace: true }));
    expect(inPlace.view.workspace).toBe(project.root);
  });

  test("[LE12 LE13 LE19 LE7 E4] the tree or the branch of a session is named at each stop, in its status, at its end, and before another would do its work again", async () => {
    const project = lifecycleProject(planned());
    const stopped = moved(await project.start());
    const { workspace } = stopped.view;
    expect(stopWords(stopped.view, stopped.project)).toEqual([
      expect.stringContaining(`The skills work in ${workspace}`),
    ]);

    const before = readFileSync(statusFile(project.root), "utf8");
    const shownAtStop = await lifecycleStatus(project.app, undefined);
    expect(sessionSummary(shownAtStop.view, shownAtStop.project)).toMatchObject({
      status: "running",
      stop: { kind: "decision", step: "post-verify", options: ["continue", "skip", "stop"] },
      next: "pawl lifecycle execute",
    });
    expect(readFileSync(statusFile(project.root), "utf8")).toBe(before);

    const asked = async () => {
      project.notes.length = 0;
      expect((await project.start("Again", { confirm: async () => false })).kind).toBe("declined");
      return project.notes.join("\n");
    };
    const { session } = stopped.view;
    const notes = await asked();
    expect(notes).toContain(`the work of ${session.id} is on branch ${stopped.view.branch}`);
    expect(notes).toContain("Instead: pawl lifecycle execute");

    const ended = moved(await project.execute({ auto: true }));
    expect(ended.driven?.end).toBe("done");
    expect(project.status()).toMatchObject({ auto_mode: true });
    const { branch = null } = ended.driven ?? {};
    expect(branch).not.toBeNull();
    expect(stopWords(ended.view, ended.project)).toEqual([
      `The work is on branch ${branch}. Merge it: git merge ${branch}`,
    ]);
    const shown = await lifecycleStatus(project.app, undefined);
    expect(stopWords(shown.view, shown.project)).toEqual(stopWords(ended.view, ended.project));
    expect(await asked()).toContain(`Instead: git merge ${stopped.view.branch}`);
    // The checkout does not have the work yet, so it must not be done again.
    await expect(project.execute()).rejects.toMatchObject({ hint: expect.stringContaining(`git merge ${branch}`) });
    runGit(project.root, "merge", "-q", branch ?? "");
    expect((await project.execute()).kind).toBe("complete");
  });

  test("[LE12] one that git tracks in part is refused: its tree would stand elsewhere", async () => {
    const { ".workflow/roadmap.md": roadmap = "", ...state } = planned();
    const project = lifecycleProject({ ".gitignore": "state.json\n", ".workflow/roadmap.md": roadmap });
    writeProject(project.root, state);
    await expect(project.start()).rejects.toMatchObject({
      code: "REPOSITORY_DIRTY",
      message: "git tracks .workflow, but ignores .workflow/state.json",
    });
  });

  test("[LE12] without a commit the project itself is the place, and that is said", async () => {
    const project = lifecycleProject({});
    rmSync(join(project.root, ".git"), { recursive: true });
    const { view } = moved(await project.start());
    expect(view.workspace).toBe(project.root);
    expect(project.notes.join("\n")).toContain("this is not a git repository");
  });
});
