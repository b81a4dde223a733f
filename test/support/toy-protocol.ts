// A small protocol for tests: it writes an order for each attempt into a file, reads edits and a report from others, and shows a run
// in a status file.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storyId } from "../../src/domain/ids.ts";
import { readEdits } from "../../src/protocols/files/edit-request.ts";
import { folderPatterns } from "../../src/protocols/files/folder.ts";
import { writeSidecar } from "../../src/protocols/files/sidecar.ts";
import type { AttemptFacts, Protocol, RunFacts, ToldReport } from "../../src/protocols/protocol.ts";

/** A workflow that uses it, as YAML. */
export const toyWorkflow = `
pawl: 1
protocol: toy
id: toy-work
agents: { worker: {} }
steps:
  - id: all
    stories: { workspace: worktree }
    body:
      - { id: make, agent: worker, editable: true, on_error: fail, input: "Order: {{toy_order}}" }
      - { id: polish, agent: worker, on_error: fail, input: "Polish it." }
      - { id: land, integrate: true, on_error: fail }
`;

export const toy = {
  name: "toy",
  templateKeys: ["toy_order"],
  takesEdits: true,
  hasFolder: true,
  stepWords: { step_started: "toy_started" },

  storiesFor: (task) => [{ ...anyStory, id: storyId("one"), title: task }],

  open({ text, file }) {
    const ids = text.split("\n").filter((line) => line !== "");
    const stories = ids.map((id) => ({ ...anyStory, id: storyId(id), title: id }));
    return { kind: "start", task: `Do ${file}`, stories, adopted: [], notes: [] };
  },

  begin(run) {
    writeSidecar(join(folderOf(run), ".pawl.json"), { run: run.id, projected: 0 });
  },

  excludes: (run) => [
    "/TOY.md",
    "/toy-edits.json",
    "/toy-report.json",
    ...folderPatterns(folderOf(run), run.place.repo ?? "/", []),
  ],
  ownFiles: ({ place }) => (place.source === undefined ? [] : [place.source]),

  values: ({ attempt }) => ({ toy_order: `${attempt.step} ${attempt.number}` }),
  environment: ({ run }) => ({ TOY_SHARED_DIR: folderOf(run.header) }),
  writable: ({ run }) => [folderOf(run.header)],

  prepare({ attempt }, workspace) {
    writeFileSync(join(workspace, "TOY.md"), `order ${attempt.step} ${attempt.number}\n`);
  },

  collect(work, workspace) {
    const file = join(workspace, "toy-edits.json");
    const edits = existsSync(file) ? { edits: readEdits(readFileSync(file, "utf8")) } : {};
    const told = reportFor(work, workspace);
    return told === null ? edits : { ...edits, told };
  },

  arrived: (work, workspace) => reportFor(work, workspace) !== null,

  settled({ run, attempt }) {
    const done = join(folderOf(run.header), "settled");
    mkdirSync(done, { recursive: true });
    writeFileSync(join(done, attempt.id), "");
  },

  logFile: (run, { story, step, number }) => join(folderOf(run), `${story ?? "run"}-${step}-${number}.log`),
  diffFile: (run, { story, step, number }) => join(folderOf(run), `${story ?? "run"}-${step}-${number}.diff`),

  project(run) {
    const dir = folderOf(run);
    const seen: string[] = [];
    return {
      dir,
      follow: ({ type }) => void seen.push(type),
      writeEntry: ({ type }, mark) =>
        type === "run_ended" ? writeFileSync(join(dir, `told-${mark.replace(":", "-")}`), "") : undefined,
      files: ({ header }) => ({
        [join(dir, "status.txt")]: `${header.end?.status ?? "open"}\n${seen.length} events\n`,
      }),
    };
  },
} as const satisfies Protocol;

const anyStory = { description: "", acceptanceCriteria: [], dependsOn: [] };

function folderOf({ place }: Pick<RunFacts, "place">): string {
  return place.shared ?? "/nowhere";
}

/** The report in the file, if it is whole and of this attempt: `{"of": "make 1", …}`. */
function reportFor({ attempt }: AttemptFacts, workspace: string): ToldReport | null {
  try {
    const { of, ...told } = JSON.parse(readFileSync(join(workspace, "toy-report.json"), "utf8"));
    return of === `${attempt.step} ${attempt.number}` ? { feedback: "", notes: [], ...told } : null;
  } catch {
    return null;
  }
}
