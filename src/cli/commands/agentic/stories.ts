// `pawl project add` and `import`. Owns: printing which stories were added.

import type { Command } from "commander";
import { type AddStoryRequest, addStory, importStories } from "../../../application/agentic/add-story.ts";
import type { ProjectStories } from "../../../contracts/project-documents.ts";
import { collect } from "../../input/run-options.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { dirOption, type ProjectOptions } from "./options.ts";

export function defineStories(project: Command, console: Console): void {
  project
    .command("add")
    .description("add a story to work on")
    .argument("<story>", "its id, such as US-001")
    .argument("<title...>", "its title")
    .option(...dirOption)
    .option("--after <story>", "it starts when this story is done; can be given several times", collect)
    .option("--size <size>", "S, M or L")
    .option("--parallel", "parts of it can be worked on at once")
    .option("--text <file>", "a file with its description")
    .addHelpText("after", example("pawl project add US-002 Checkout flow --after US-001 --size M"))
    .action(
      async (
        story: string,
        words: string[],
        options: ProjectOptions & Pick<AddStoryRequest, "after" | "size" | "parallel" | "text">,
      ) => {
        const title = words.join(" ");
        print(
          console,
          await withApplication(options, async (app) => await addStory(app, { ...options, story, title })),
        );
      },
    );

  project
    .command("import")
    .description("add the stories of a PRD")
    .argument("<file>", "prd.json: an array of stories, or an object with userStories or stories")
    .option(...dirOption)
    .addHelpText("after", example("pawl project import prd.json"))
    .action(async (file: string, options: ProjectOptions) => {
      print(console, await withApplication(options, async (app) => await importStories(app, { ...options, file })));
    });
}

function print(console: Console, stories: ProjectStories): void {
  if (console.json) return console.document(stories);
  for (const note of stories.notes) console.note(note);
  console.print(stories.added.length === 0 ? "Nothing was added." : `Added ${stories.added.join(", ")}.`);
}
