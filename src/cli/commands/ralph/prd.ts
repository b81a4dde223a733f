// `pawl prd`. Owns: working through a PRD with several agents at once, checking one, and taking over the state of another program.

import type { Command } from "commander";
import { checkPrd } from "../../../application/ralph/check-prd.ts";
import { importState } from "../../../application/ralph/import-state.ts";
import { runProject } from "../../../application/starting/stories-given.ts";
import type { PrdCheck } from "../../../contracts/workflow-documents.ts";
import { summaryOf } from "../../catalogue.ts";
import { readCount } from "../../input/run-options.ts";
import { applicationHere, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";
import { addOptions, runGivenStories, type StoriesOptions } from "./options.ts";

interface PrdOptions extends StoriesOptions {
  readonly agents?: string;
  readonly shared?: string;
}

const agentsOption = ["--agents <n>", "stories at once"] as const;
const sharedOption = [
  "--shared <dir>",
  "the folder for scratch, edit and state files (default: .pawl/ralph in the repository)",
] as const;

export function define(program: Command, console: Console): void {
  const prd = program.command("prd").description(summaryOf("prd"));
  addOptions(
    prd
      .command("run")
      .description("work on the stories of a PRD, each in a tree of its own, and integrate them one by one")
      .argument("<file>", "prd.json: an array of stories, or an object with userStories or stories")
      .option(...agentsOption)
      .option(...sharedOption)
      .option("--story <id...>", "only these stories"),
  )
    .addHelpText(
      "after",
      example(
        "pawl prd run prd.json --agents 4",
        "pawl prd run prd.json --test 'npm test' --executor 'command: claude -p'",
      ),
    )
    .action(async (file: string, options: PrdOptions & { readonly story?: readonly string[] }) => {
      const { shared, story: only } = options;
      const agents = readCount(options.agents, "--agents");
      await withApplication(options, async (app) => {
        await runGivenStories(console, app, options, (request) =>
          runProject(app, file, { ...request, agents, shared, only }),
        );
      });
    });

  prd
    .command("check")
    .description("say in which order the stories of a PRD can be worked on, and what they need at least")
    .argument("<file>", "prd.json")
    .option("--workflow <name>", "the workflow that would work on it", "dynamic-ralph")
    .addHelpText("after", example("pawl prd check prd.json"))
    .action(async (file: string, { workflow }: { readonly workflow: string }) => {
      const document = await checkPrd(applicationHere(), file, workflow);
      if (console.json) console.document(document);
      else printWaves(console, document);
    });

  addOptions(
    prd
      .command("import")
      .description("take over a workflow_state.json: done stories stay done, the others continue where they were")
      .argument("<state>", "workflow_state.json")
      .option("--prd <file>", "the PRD it was made from")
      .option(...agentsOption)
      .option(...sharedOption),
  )
    .addHelpText("after", example("pawl prd import workflow_state.json --prd prd.json --detach"))
    .action(async (state: string, options: PrdOptions & { readonly prd?: string }) => {
      const { shared, prd: source } = options;
      const agents = readCount(options.agents, "--agents");
      await withApplication(options, async (app) => {
        await runGivenStories(console, app, options, (request) =>
          importState(app, state, { ...request, agents, shared, prd: source }),
        );
      });
    });
}

/** Stories of one wave could run at once. */
function printWaves(console: Console, { stories, notes, needs, caps }: PrdCheck): void {
  for (const note of notes) console.note(note);
  const rows = stories
    .toSorted((a, b) => a.wave - b.wave)
    .map(({ id, title, dependsOn, passes, wave }) => [
      passes ? "done" : `wave ${wave}`,
      id,
      title,
      dependsOn.length > 0 ? `after ${dependsOn.join(", ")}` : "",
    ]);
  console.print(table(rows));
  const [attempts, cap] = [needs.attempts.toLocaleString("en"), caps.attempts.toLocaleString("en")];
  console.say(
    `\nIt needs at least ${attempts} ${needs.attempts === 1 ? "attempt" : "attempts"}; a run of it may have ${cap}.`,
  );
}
