import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  brief,
  changed,
  dispatched,
  ended,
  historyOf,
  opened,
  projected,
  step,
  storyIn,
  time,
} from "../../../test/support/ralph-facts.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { type StoryId } from "../../domain/ids.ts";
import type { StepState } from "../../domain/step.ts";
import type { StoryStatus } from "../../domain/story.ts";
import { writeWhole } from "../../system/files/whole-file.ts";
import type { StateDocument } from "./state-document.ts";
import { stateText } from "./state-file.ts";

const writeState = (file: string, document: StateDocument) => writeWhole(file, stateText(document));

describe("the document", () => {
  test("[RA26 C36 C37 C38] has exactly the fields of Dynamic Ralph, in their order, with null for missing values", () => {
    const document = projected([opened], {
      "US-001": { status: "waiting", dependsOn: ["US-000" as StoryId] },
      "US-002": { status: "running", chain: [step("step-001", "coding")] },
    });
    expect(JSON.stringify(document)).toBe(
      JSON.stringify({
        version: 1,
        created_at: time(0),
        prd_file: "prd.json",
        stories: {
          "US-001": {
            story_id: "US-001",
            title: "Title US-001",
            status: "unclaimed",
            agent_id: null,
            claimed_at: null,
            completed_at: null,
            depends_on: ["US-000"],
            steps: [],
            history: [],
          },
          "US-002": {
            story_id: "US-002",
            title: "Title US-002",
            status: "in_progress",
            agent_id: null,
            claimed_at: null,
            completed_at: null,
            depends_on: [],
            steps: [
              {
                id: "step-001",
                type: "coding",
                status: "pending",
                description: "Implement the changes",
                started_at: null,
                completed_at: null,
                git_sha_at_start: null,
                notes: null,
                error: null,
                skip_reason: null,
                restart_count: 0,
                cost_usd: null,
                input_tokens: null,
                output_tokens: null,
                log_file: null,
              },
            ],
            history: [],
          },
        },
      }),
    );
  });

  test("[RA27 C30 C34] every status is mapped", () => {
    const words = (states: readonly StepState[]) =>
      storyIn(
        projected([], {
          "US-001": { status: "running", chain: states.map((state, index) => step(`s${index}`, "coding", state)) },
        }),
      ).steps.map(({ status }) => status);
    const held: StepState = { status: "held", gate: "g" as never };
    const skipped: StepState = { status: "skipped", by: "edit", reason: "r" };
    expect(
      words([
        { status: "waiting" },
        { status: "ready", notBefore: 0 },
        { status: "running", attempt: "a" as never },
        held,
        { status: "done" },
        { status: "failed", reason: "r" },
        skipped,
        { status: "cancelled" },
      ]),
    ).toEqual(["pending", "pending", "in_progress", "in_progress", "completed", "failed", "skipped", "cancelled"]);
    const statuses: StoryStatus[] = ["waiting", "running", "held", "done", "skipped", "failed", "cancelled", "blocked"];
    const stories = projected([], Object.fromEntries(statuses.map((status) => [status, { status }]))).stories;
    expect(statuses.map((status) => stories[status]?.status)).toEqual([
      "unclaimed",
      "in_progress",
      "in_progress",
      "completed",
      "completed",
      "failed",
      "failed",
      "blocked",
    ]);
  });

  test("[RA31 C90] the integration is not in the file, and until it is done the story is in progress", () => {
    const chain = [
      step("step-001", "coding", { status: "done" }),
      step("land", "land", { status: "ready", notBefore: 0 }),
    ];
    const story = storyIn(
      projected([opened, dispatched(2, "land"), ended(3, "land", "failed")], {
        "US-001": { status: "running", chain },
      }),
    );
    expect(story).toMatchObject({
      status: "in_progress",
      steps: [{ id: "step-001", status: "completed" }],
      history: [],
    });
  });
});

describe("a story", () => {
  test("[RA30 C37 C85] which slot claimed it and when, also after it has left the slot", () => {
    const claimed = [changed(3, "running", { slot: 2 }), opened];
    const working = storyIn(projected(claimed, { "US-001": { status: "running", slot: 2 } }));
    expect(working).toMatchObject({ agent_id: 2, claimed_at: time(3), completed_at: null });
    const events = [...claimed, changed(5, "held"), changed(6, "running"), changed(9, "done")];
    expect(storyIn(projected(events, { "US-001": { status: "done" } }))).toMatchObject({
      status: "completed",
      agent_id: 2,
      claimed_at: time(3),
      completed_at: time(9),
    });
    expect(brief(events)).toEqual(["story_claimed", "story_completed"]);
  });

  test("[RA30 C82] a retried story is claimed again and has not ended", () => {
    const events = [
      changed(3, "running", { slot: 1 }),
      changed(5, "failed", { reason: "no luck" }),
      changed(6, "waiting"),
      changed(7, "running", { slot: 3 }),
    ];
    const story = storyIn(projected(events, { "US-001": { status: "running", slot: 3 } }));
    expect(story).toMatchObject({ agent_id: 3, claimed_at: time(3), completed_at: null });
    expect(brief(events)).toEqual(["story_claimed", "story_failed  no luck", "story_claimed"]);
    expect(historyOf(events).map(({ agent_id }) => agent_id)).toEqual([1, 1, 3]);
  });

  test("[RA30 C16] a story that had passed before is completed, and no agent is named", () => {
    const story = storyIn(projected([changed(0, "done")], { "US-001": { status: "done" } }));
    expect(story).toMatchObject({ status: "completed", agent_id: null, completed_at: null, history: [] });
  });
});

test("[RA34 C68] a reader sees a whole document even while the file is written", async () => {
  const dir = tempDir();
  const file = join(dir, "workflow_state.json");
  const big = (count: number) =>
    projected(
      [],
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`US-${n}x`, { status: "waiting" as const }])),
    );
  writeState(file, big(1));
  const reader = spawn(
    process.execPath,
    [
      "-e",
      `const { readFileSync, writeFileSync } = require("node:fs");
      let reads = 0;
      while (Object.keys(JSON.parse(readFileSync(process.argv[1], "utf8")).stories).length !== 3) {
        if (++reads === 20) writeFileSync(process.argv[2], "");
      }`,
      file,
      join(dir, "reading"),
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  onTestFinished(() => void reader.kill("SIGKILL"));
  const exit = once(reader, "exit");
  await expect.poll(() => existsSync(join(dir, "reading"))).toBe(true);
  for (let time = 0; time < 200; time++) writeState(file, big(time % 2 === 0 ? 400 : 1));
  writeState(file, big(3));
  expect((await exit)[0]).toBe(0);
  expect(readdirSync(dir).toSorted()).toEqual(["reading", "workflow_state.json"]);
  expect(readFileSync(file, "utf8").startsWith('{\n  "version": 1,\n')).toBe(true);
});

test("[RA34] writing replaces other contents", () => {
  const file = join(tempDir(), "deep/workflow_state.json");
  writeState(file, projected([], {}));
  writeFileSync(file, "an agent was here");
  writeState(file, projected([], {}));
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version: 1, stories: {} });
});
