// `pawl prd`. Owns: working through a PRD with several agents at once, looking at one, and taking over what another program left.

import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { AppError } from "../../domain/error.ts";
import type { StorySpec } from "../../domain/story.ts";
import type { ContinueOpening } from "../../protocols/protocol.ts";
import { type Prd, readPrd } from "../../protocols/ralph/prd.ts";
import { importedName, planState, taskOf } from "../../protocols/ralph/prd-plan.ts";
import { ralph } from "../../protocols/ralph/ralph.ts";
import { readState } from "../../protocols/ralph/state-file.ts";
import { openProject } from "../../runtime/runs/open-project.ts";
import type { GivenStories } from "../../runtime/runs/run-request.ts";
import { transition } from "../../runtime/runs/transition.ts";
import { chooseFolder, makeFolder } from "../../runtime/trees/protocol-folder.ts";
import type { Console } from "../console.ts";
import { driveToEnd } from "../driving.ts";
import { example } from "../example.ts";
import { readText } from "../input.ts";
import { addRalphOptions, type RalphOptions, startRalph } from "../ralph.ts";
import { author, type Session, withSession } from "../session.ts";
import { chosenExecutor, readCount } from "../starting.ts";
import { table } from "../table.ts";

interface PrdOptions extends RalphOptions {
  readonly agents?: string;
  readonly shared?: string;
  readonly story?: readonly string[];
}

export function define(program: Command, console: Console): void {
  const prd = program.command("prd").description("work through a PRD: several stories at once, one commit each");
  addRalphOptions(
    prd
      .command("run")
      .description(
        "plan nothing, do everything: the stories of a PRD, each in a tree of its own, integrated one by one",
      )
      .argument("<file>", "prd.json: an array of stories, or an object with userStories or stories")
      .option("--agents <n>", "stories at once")
      .option("--shared <dir>", "the folder for scratch, edit and state files (default: .pawl/ralph in the repository)")
      .option("--story <id...>", "only these stories"),
  )
    .addHelpText(
      "after",
      example(
        "pawl prd run prd.json --agents 4",
        "pawl prd run prd.json --test 'npm test' --executor 'command: claude -p'",
      ),
    )
    .action(async (file: string, options: PrdOptions) => await run(console, file, options));
  prd
    .command("check")
    .description("read a PRD and say in which order its stories can be worked on")
    .argument("<file>", "prd.json")
    .addHelpText("after", example("pawl prd check prd.json"))
    .action((file: string) => check(console, file));
  addRalphOptions(
    prd
      .command("import")
      .description("take over a workflow_state.json: what is done stays done, the rest goes on where it was")
      .argument("<state>", "workflow_state.json")
      .option("--prd <file>", "the PRD it was made from")
      .option("--agents <n>", "stories at once")
      .option(
        "--shared <dir>",
        "the folder for scratch, edit and state files (default: .pawl/ralph in the repository)",
      ),
  )
    .addHelpText("after", example("pawl prd import workflow_state.json --prd prd.json --detach"))
    .action(async (state: string, options: PrdOptions & { prd?: string }) => await takeOver(console, state, options));
}

async function run(console: Console, file: string, options: PrdOptions): Promise<void> {
  const project = { file, text: readText(file), only: options.story ?? [] };
  const agents = readCount(options.agents, "--agents");
  const folder = await chooseFolder(ralph.name, options.repo, options.shared ?? null);
  await withSession({ store: options.store, repo: resolve(options.repo) }, async (session) => {
    const plan = await openProject(session.parts, ralph.name, { ...project, folder });
    if (plan.kind === "continue") return await goOn(console, session, plan, options);
    for (const note of plan.notes) console.note(note);
    if (plan.stories.every(({ id }) => plan.adopted.some((story) => story.id === id && story.status === "done"))) {
      if (console.json) console.document({ run: null, stories: plan.stories.length, open: 0 });
      return console.say("Every story of the PRD passes already: there is nothing to do.");
    }
    const given: GivenStories = { stories: plan.stories, adopted: plan.adopted, source: file, shared: folder };
    await startRalph(console, session, { task: plan.task, given, agents, options });
  });
}

/** The run that has the folder goes on, with the stories that are new in the PRD. */
async function goOn(console: Console, session: Session, plan: ContinueOpening, options: PrdOptions): Promise<void> {
  const { added } = plan;
  const summary = { id: plan.run.header.id, number: plan.run.number };
  const { parts } = session;
  const since = parts.clock.now();
  const asked = () => ({ at: parts.clock.now(), author: author() });
  if (added.length > 0) {
    const decision = await transition(parts, summary.id, {
      type: "add_stories",
      stories: added,
      ...asked(),
    });
    if (!decision.accepted) throw refused(summary.number, decision.why);
    console.note(`new in the PRD: ${added.map(({ id }) => id).join(", ")}`);
  }
  const resumed = await transition(parts, summary.id, { type: "resume_run", ...asked() });
  if (!resumed.accepted) throw refused(summary.number, resumed.why);
  console.say(`Run #${summary.number} (${summary.id}) goes on.`);
  for (const note of withoutEffect(plan, options)) console.note(note);
  if (options.detach) return;
  const concurrency = null;
  await driveToEnd(console, session, {
    run: summary.id,
    number: summary.number,
    events: options.events ?? false,
    concurrency,
    since,
  });
}

/** A run goes on as it was started; who asks for something else should know. */
function withoutEffect({ run }: ContinueOpening, options: PrdOptions): readonly string[] {
  const { executor, definition } = run.header;
  const agents = definition.steps.find((step) => step.kind === "stories")?.concurrency ?? null;
  const asked = chosenExecutor(options);
  const wanted = readCount(options.agents, "--agents");
  return [
    ...(asked !== null && asked !== executor
      ? [`run #${run.number} goes on with the executor that it was started with: ${executor ?? "the configured one"}`]
      : []),
    ...(wanted !== null && wanted !== agents ? [`run #${run.number} goes on with ${agents} stories at once`] : []),
  ];
}

function refused(number: number, why: string): AppError {
  return new AppError("REFUSED", `run #${number} for this PRD is there already: ${why}`, {
    hint: `\`pawl status ${number}\` shows it; \`pawl retry ${number}\` puts what failed back, then run this again`,
  });
}

async function takeOver(console: Console, file: string, options: PrdOptions & { prd?: string }): Promise<void> {
  const state = readState(readText(file), file);
  const prd = options.prd === undefined ? null : readPrd(readText(options.prd), options.prd);
  const agents = readCount(options.agents, "--agents");
  const shared = await chooseFolder(ralph.name, options.repo, options.shared ?? null);
  await withSession({ store: options.store, repo: resolve(options.repo) }, async (session) => {
    const plan = planState(state, prd);
    makeFolder(shared);
    copyFileSync(file, join(shared, importedName));
    const given: GivenStories = { ...plan, source: options.prd ?? null, shared };
    await startRalph(console, session, {
      task: prd ? taskOf(prd, file) : `Go on with ${file}`,
      given,
      agents,
      options,
    });
  });
}

/** Waves: what could run at once if there were agents enough. */
function check(console: Console, file: string): void {
  const prd = readPrd(readText(file), file);
  const waves = wavesOf(prd);
  if (console.json) {
    const stories = prd.stories.map(({ id, title, dependsOn, priority, passes }) => ({
      id,
      title,
      dependsOn,
      priority: priority ?? null,
      passes,
      wave: waves.get(id) ?? 0,
    }));
    return console.document({ file, stories, notes: prd.notes });
  }
  for (const note of prd.notes) console.note(note);
  const rows = prd.stories
    .toSorted((a, b) => (waves.get(a.id) ?? 0) - (waves.get(b.id) ?? 0))
    .map(({ id, title, dependsOn, passes }) => [
      passes ? "done" : `wave ${waves.get(id)}`,
      id,
      title,
      dependsOn.length > 0 ? `after ${dependsOn.join(", ")}` : "",
    ]);
  console.print(table(rows));
}

function wavesOf(prd: Prd): ReadonlyMap<string, number> {
  const byId = new Map(prd.stories.map((story) => [story.id, story]));
  const waves = new Map<string, number>();
  const waveOf = (id: StorySpec["id"]): number => {
    const known = waves.get(id);
    if (known !== undefined) return known;
    const story = byId.get(id);
    const wave = story === undefined || story.passes ? 0 : 1 + Math.max(0, ...story.dependsOn.map(waveOf));
    waves.set(id, wave);
    return wave;
  };
  for (const { id } of prd.stories) waveOf(id);
  return waves;
}
