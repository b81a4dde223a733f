// The files of a PRD's run, with the original's layout at the root of the repository: what a reader sees at every moment, what is
// left at the end, and what git sees of it.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectCode, newSite, startPawl } from "../support/pawl.ts";
import { chainOf, editsIn, type PrdSite, prdSite, type StateFile } from "../support/prd.ts";
import { runGit } from "../support/repository.ts";

/** As a person wrote it: in the repository, with unusual formatting. */
const prd = `{ "project" : "Demo",
  "userStories": [
    {"id": "US-001", "title": "One",   "acceptanceCriteria": ["works"], "priority": 2, "passes": false, "owner": "ann"},
    {"id": "US-002", "title": "Two",\t"acceptanceCriteria": ["works"], "priority": 1}, {"id": "US-003",
      "title": "Three", "acceptanceCriteria": ["works"], "passes": true
    }
  ] }
`;
const told = ["PAWL_STORY", "PAWL_SLOT", "PAWL_SHARED", "RALPH_SHARED_DIR", "COMPOSE_PROJECT_NAME", "PAWL_RUN"];
const storyFields = "story_id title status agent_id claimed_at completed_at depends_on steps history".split(" ");
const stepFields =
  "id type status description started_at completed_at git_sha_at_start notes error skip_reason restart_count cost_usd input_tokens output_tokens log_file".split(
    " ",
  );
const actions =
  "step_started step_completed step_failed step_cancelled step_skipped workflow_edit story_claimed story_completed story_failed".split(
    " ",
  );

let site: PrdSite;
let stderr = "";
/** The state file as a process saw it that read it continuously. */
const seen: StateFile[] = [];

beforeAll(async () => {
  const plain = newSite();
  writeFileSync(join(plain.repo, "prd.json"), prd);
  runGit(plain.repo, "add", "--all");
  runGit(plain.repo, "commit", "--quiet", "--message=plan");
  const coding = `echo "said by $me"; git rev-parse HEAD > '${plain.path("heads")}'.$me; work`;
  const watched = plain.path("seen-in-progress");
  site = prdSite([], {
    site: plain,
    shared: plain.repo,
    acts: {
      "*": `git rev-parse HEAD > '${plain.path("heads")}'.$me; env > '${plain.path("env")}'.$PAWL_STORY`,
      coding,
      "US-001.step-005": `while [ ! -e '${watched}' ]; do sleep 0.05; done; ${coding}`,
      "US-001.planning": `echo "found it" >> "$PAWL_SHARED/scratch_US-001.md"; echo '{"version":1,"stories":{}}' > "$PAWL_SHARED/mine"; mv "$PAWL_SHARED/mine" "$PAWL_SHARED/workflow_state.json"`,
      "US-002.step-005.1": `echo "said by $me"; edits '{"operation":"restart","target_step_id":"step-005","new_description":"Again","reason":"wrong"}'`,
    },
  });
  const args = ["prd", "run", "prd.json", "--shared", ".", "--agents", "2", "--executor", site.executor];
  const running = startPawl(args, { home: site.home, cwd: site.repo, env: { PAWL_LOG: "json" } });
  let over = false;
  void running.ended.then(() => {
    over = true;
  });
  while (!over) {
    if (existsSync(site.shared("workflow_state.json"))) seen.push(site.state());
    if (seen.at(-1)?.stories["US-001"]?.steps[4]?.status === "in_progress") writeFileSync(watched, "");
    await pause(2);
  }
  const ended = await running.ended;
  expectCode(ended, 0);
  stderr = ended.stderr;
});

afterAll(() => rmSync(site.path(), { recursive: true, force: true }));

test("[C68 RA34 X16] a continuous reader of the state file always reads a whole file, and sees each step", () => {
  expect(seen.length).toBeGreaterThan(50);
  const statuses = new Set(seen.map(({ stories }) => stories["US-001"]?.steps[4]?.status));
  for (const status of ["pending", "in_progress", "completed"]) expect(statuses).toContain(status);
});

test("[C6 C71 C77] a step in progress has its start, its commit and its log from the beginning; one at a time in a story", () => {
  for (const { stories } of seen) {
    for (const story of Object.values(stories)) {
      const running = story.steps.filter(({ status }) => status === "in_progress");
      expect(running.length).toBeLessThan(2);
      for (const step of running) {
        expect(step["log_file"]).toMatch(new RegExp(`^logs/${story.story_id}/${step.id}(\\.2)?\\.jsonl$`));
        expect(step["started_at"]).toMatch(/^\d{4}-\d\d-\d\dT/);
      }
    }
  }
});

test("[C36 C37 C38 C40 C41 C85 X15 RA26] the state file has version 1 and exactly the fields of the seed", () => {
  const { version, created_at, prd_file, stories, ...rest } = site.state();
  expect([version, prd_file, rest]).toEqual([1, "prd.json", {}]);
  expect(Date.parse(created_at)).toBeGreaterThan(0);
  for (const [id, story] of Object.entries(stories)) {
    expect(Object.keys(story)).toEqual(storyFields);
    expect([story.story_id, story.status]).toEqual([id, "completed"]);
    for (const step of story.steps) expect(Object.keys(step)).toEqual(stepFields);
    for (const { action, ...entry } of story.history) {
      expect(actions).toContain(action);
      expect(Object.keys(entry)).toEqual(["timestamp", "agent_id", "step_id", "details"]);
    }
  }
  expect(stories["US-001"]?.history[0]).toMatchObject({ action: "story_claimed", step_id: null, details: {} });
  expect(stories["US-001"]?.history.at(-1)).toMatchObject({ action: "story_completed", step_id: null });
  expect(stories["US-003"]).toMatchObject({ agent_id: null, steps: [], history: [], completed_at: null });
});

test("[C8 C70 RA34] what an agent writes into the state file is ignored and overwritten", () => {
  expect(seen.some(({ stories }) => Object.keys(stories).length === 0)).toBe(true);
  expect(Object.keys(site.state().stories)).toEqual(["US-001", "US-002", "US-003"]);
  expect(chainOf(site.story("US-001"))).toContain("step-002:completed,step-003:completed");
});

test("[C42 C43] each step has the commit that it began with, and no cost where none was reported", () => {
  for (const { id, ...step } of site.story("US-001").steps) {
    if (id === "step-002") continue;
    expect(step["git_sha_at_start"]).toBe(readFileSync(site.path(`heads.US-001.${id}.1`), "utf8").trim());
    expect([step["cost_usd"], step["input_tokens"], step["output_tokens"]]).toEqual([null, null, null]);
  }
});

test("[C77 C83] the log of a step is its output; when it runs again the first log stays", () => {
  const log = (name: string) => readFileSync(site.shared("logs", "US-002", name), "utf8");
  expect(log("step-005.jsonl")).toContain("said by US-002.step-005.1");
  expect(log("step-005.2.jsonl")).toContain("said by US-002.step-005.2");
  expect(site.story("US-002").steps[4]).toMatchObject({ log_file: "logs/US-002/step-005.2.jsonl", restart_count: 1 });
  expect(editsIn(site.story("US-002"))).toHaveLength(1);
});

test("[C78 C88 C89] agents are told their story, their slot and where the shared files are", () => {
  const env = (story: string) => readFileSync(site.path(`env.${story}`), "utf8").split("\n");
  const of = (story: string) => env(story).filter((line) => told.includes(line.split("=")[0] ?? ""));
  const slots = ["US-001", "US-002"].map((story) => {
    const slot = /PAWL_SLOT=(\d)/.exec(of(story).join("\n"))?.[1] ?? "";
    expect(of(story)).toEqual(
      expect.arrayContaining([
        `PAWL_STORY=${story}`,
        `PAWL_SHARED=${site.repo}`,
        `RALPH_SHARED_DIR=${site.repo}`,
        `COMPOSE_PROJECT_NAME=ralph_agent_${slot}`,
      ]),
    );
    return slot;
  });
  expect(slots.toSorted()).toEqual(["1", "2"]);
  expect(site.story("US-001").agent_id).toBe(Number(slots[0]));
});

test("[C10 RA22] the scratch file of a finished story is in the archive", () => {
  expect(existsSync(site.shared("scratch_US-001.md"))).toBe(false);
  expect(readFileSync(site.shared("scratch_archive/scratch_US-001.md"), "utf8")).toContain("found it");
});

test("[C81 C88 RA2 X15] in the root of the repository git sees none of the files, and no commit has one", () => {
  for (const name of ["workflow_state.json", "logs/US-001/step-001.jsonl", "scratch_archive", ".pawl.json"])
    expect(existsSync(site.shared(name))).toBe(true);
  expect(existsSync(site.shared(".pawl"))).toBe(false);
  expect(runGit(site.repo, "status", "--porcelain")).toBe(" M prd.json");
  expect(runGit(site.repo, "log", "--format=", "--name-only").split("\n").toSorted()).toEqual([
    "README.md",
    "US-001.txt",
    "US-002.txt",
    "prd.json",
  ]);
  expect(readdirSync(site.repo).filter((name) => name.includes(".tmp") || name.endsWith(".lock"))).toEqual([]);
});

test("[C3 C12 C16 C17 RA11] finished stories pass in prd.json, and no other byte of it changes", () => {
  const marked = prd
    .replace('"passes": false', '"passes": true')
    .replace('"priority": 1}', '"priority": 1, "passes": true}');
  expect(readFileSync(join(site.repo, "prd.json"), "utf8")).toBe(marked);
});

test("[C99 CM25] with PAWL_LOG=json there is a line on stderr for the start and the end of every step", () => {
  const lines = stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const ofOne = lines.filter((line) => line["story_id"] === "US-001" && line["step_id"] === "step-003");
  expect(ofOne.map(({ event }) => event)).toEqual(["step_started", "step_completed"]);
  expect(ofOne[0]).toMatchObject({ ts: expect.stringMatching(/Z$/), agent_id: site.story("US-001").agent_id });
  const restarted = lines.filter((line) => line["story_id"] === "US-002" && line["step_id"] === "step-005");
  expect(restarted.map(({ event, attempt }) => [event, attempt])).toEqual([
    ["step_started", 1],
    ["step_again", 1],
    ["step_started", 2],
    ["step_completed", 2],
  ]);
});

test("[RA17 RA41 C66] an agent that replaces Pawl's files does no harm, and the end of the run is reported anyway", async () => {
  const mischief = `cd "$PAWL_SHARED"; mkdir -p workflow_edits scratch_US-001.md; ln -s US-001.json workflow_edits/US-001.json
    echo x > workflow_edits/failed; echo x > .pawl.json; rm -f workflow_state.json`;
  const hostile = prdSite([{ id: "US-001" }], { acts: { planning: mischief } });
  const called = await hostile.run();
  expectCode(called, 0);
  expect(called.stderr).toMatch(/an edit by step-002 was refused: .* is a link, which Pawl does not follow/);
  expect(called.stderr).toContain("could not be written");
  expect(called.stderr).not.toContain("DEFECT");
  expect(hostile.story("US-001").status).toBe("completed");
  expect(readFileSync(hostile.prd, "utf8")).toContain('"passes": true');
});
