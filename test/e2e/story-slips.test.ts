// What the agent of one story does to its tree costs its own story at most, and loses nothing of it.

import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { newSite, pawl, type StatusDocument, writeAt } from "../support/pawl.ts";
import { runGit } from "../support/repository.ts";

const workflow = `pawl: 1
id: par
agents: { dev: {} }
steps:
  - { id: plan, agent: dev, input: "Print STORIES_JSON for: {{task}}" }
  - id: stories
    stories: { concurrency: 1, workspace: worktree }
    on_story_failed: continue
    body: [{ id: code, agent: dev, on_error: fail }, { id: integrate, integrate: {}, on_error: { again, at_most: 1, then: fail } }]
`;

const planned = ["US-1", "US-2", "US-3"].map((id) => ({
  id,
  title: id,
  description: id,
  acceptanceCriteria: ["It is there."],
}));

/** The first of three stories does this; each of the others writes a file of its name. */
async function played(slip: string) {
  const site = newSite();
  const agent = `cat > /dev/null
[ $PAWL_STEP = plan ] && { echo 'STORIES_JSON: ${JSON.stringify(planned)}'; echo "STATUS: done"; exit; }
if [ $PAWL_STORY = US-1 ]; then ${slip}
else echo ok > $PAWL_STORY.txt; fi
echo "STATUS: done"
`;
  const words = ["run", writeAt(site, "par.yml", workflow), "do it", "--executor"];
  const options = { home: site.home, cwd: site.repo };
  const { code, stderr } = await pawl([...words, `command: sh ${writeAt(site, "agent.sh", agent)}`], options);
  const document = await site.json<StatusDocument & { readonly closing: readonly string[] }>(["status", "1"]);
  const statuses = document.stories.map(({ status }) => status);
  const files = runGit(site.repo, "ls-tree", "-r", "main").split("\n");
  const why = (await site.pawl("why", "1")).stdout;
  return { site, code, stderr, document, statuses, files, why };
}

const namesIn = (files: readonly string[]) => files.map((line) => line.split("\t")[1]);

test("[OT3] where a story failed and the others are on the base, nothing is said to be missing there", async () => {
  const { code, statuses, document, why, stderr } = await played('echo "STATUS: failed"; echo "REASON: no"; exit');
  expect([code, statuses]).toEqual([1, ["failed", "done", "done"]]);
  expect(document.closing).toEqual([]);
  expect(why + stderr).not.toContain("could not be moved");
});

const commit = "git add . && git -c user.name=a -c user.email=a@example.com commit -qm inner";

test.each([
  ["without a commit", "mkdir -p app/deep; cd app; git init -q; echo work > deep/main.c; cd .."],
  ["with a commit", `mkdir -p app/deep; cd app; git init -q; echo work > deep/main.c; ${commit}; cd ..`],
  [
    "that the agent has recorded",
    `mkdir -p app/deep; cd app; git init -q; echo work > deep/main.c; ${commit}; cd ..; ${commit}`,
  ],
  ["in another one", "mkdir -p app/deep; cd app; git init -q; cd deep; git init -q; echo work > main.c; cd ../.."],
  ["in a folder that git does not have", "mkdir -p app/deep; cd app/deep; git init -q; echo work > main.c; cd ../.."],
])(
  "[WS52] the files of a repository %s inside of a story's tree get to the base, and its history is kept",
  async (_, slip) => {
    const { code, site, statuses, files, document } = await played(slip);
    expect([code, statuses]).toEqual([0, ["done", "done", "done"]]);
    expect(namesIn(files)).toEqual(["README.md", "US-2.txt", "US-3.txt", "app/deep/main.c"]);
    expect(files.filter((line) => line.startsWith("160000"))).toEqual([]);
    const notes = document.stories.flatMap(({ steps }) => steps).flatMap((step) => step.notes);
    expect(notes.join("\n")).toMatch(/app\S* was a git repository of its own: its files are part of the work now/);
    const saved = readdirSync(`${site.home}/salvage`, { recursive: true, encoding: "utf8" });
    expect(saved.filter((name) => name.endsWith("HEAD")).length).toBeGreaterThan(0);
  },
);

const unreadable = [
  ["an encoding that a file is not in", 'echo "*.txt working-tree-encoding=UTF-16" > .gitattributes; echo abc > a.txt'],
  ["a pipe in the place of a file", "rm README.md; mkfifo README.md"],
] as const;

test.each(unreadable)(
  "[WS21] git cannot take %s: that story fails, its files are kept, the others are done, and its slot is removed",
  async (_, slip) => {
    const { code, site, statuses, stderr } = await played(slip);
    expect([code, statuses]).toEqual([1, ["failed", "done", "done"]]);
    const kept = /all of its files are in (\S+)/.exec(stderr)?.[1] ?? "";
    expect(readdirSync(kept)).toContain("README.md");
    // The run's own tree stays for a retry.
    expect(runGit(site.repo, "worktree", "list").split("\n")).toHaveLength(2);
    expect(runGit(site.repo, "status", "--porcelain")).toBe("");
  },
);

test("[WS21] a folder in the place of a lock is no lock", async () => {
  const lock = '"$(git rev-parse --absolute-git-dir)/index.lock/x"';
  const { statuses, files } = await played(`mkdir -p ${lock}; echo a > a.txt`);
  expect(statuses).toEqual(["done", "done", "done"]);
  expect(namesIn(files)).toEqual(["README.md", "US-2.txt", "US-3.txt", "a.txt"]);
});
