// What the first page keeps and previews.

import { expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { agent, fail, featureDev, workflow } from "../../../test/support/engine/workflow.ts";
import type { RunDigest } from "../../contracts/stream-documents.ts";
import { filtersIn, isEmpty, withFilter, withoutFilter } from "./filters.ts";
import { retryPreview } from "./retried.ts";
import { arrived, joined, lookedAt, newsIn, stayIn, takenNote } from "./stay.ts";

const minute = 60_000;

test("[PG90] what happened while nobody was here is new, and stays so for the whole stay; what is watched is not", () => {
  const first = arrived(null, 40, 0);
  expect(first).toEqual({ from: 40, to: 40, seen: 40, at: 0 });
  const seen = lookedAt(first, 45, minute);
  const second = arrived(seen, 60, 60 * minute);
  // The first stay saw 45, whenever it began.
  expect(second).toMatchObject({ from: 45, to: 60 });
  const stayed = lookedAt(second, 65, 61 * minute);
  expect(stayed).toEqual({ from: 45, to: 60, seen: 65, at: 61 * minute });
  // A look away, or a reload.
  expect(arrived(stayed, 67, 61 * minute + 30_000)).toEqual(stayed);
  expect(takenNote(stayed, 62 * minute)).toEqual({ from: 60, to: 60, seen: 65, at: 62 * minute });
  // What came in front of the person is not new to the next stay either.
  expect(arrived(stayed, 70, 120 * minute)).toMatchObject({ from: 65, to: 70 });
});

test("[PG90] a page that was not looked at for some seconds has seen nothing, and another store begins anew", () => {
  const kept = { from: 1, to: 40, seen: 45, at: 0 };
  const glimpsed = arrived(kept, 60, 60 * minute);
  expect(arrived(glimpsed, 70, 120 * minute)).toMatchObject({ from: 45, to: 70 });
  expect(arrived(kept, 3, 60 * minute)).toEqual({ from: 3, to: 3, seen: 3, at: 60 * minute });
  expect(stayIn(JSON.stringify(kept))).toEqual(kept);
  for (const text of [
    null,
    "",
    "{}",
    "[1]",
    '{"from":1,"to":"1","seen":2,"at":3}',
    '{"from":1,"seen":2,"at":3}',
    "null",
  ])
    expect(stayIn(text)).toBeNull();
});

test("[PG90] two tabs are of one person: what one has seen or taken note of, the other has", () => {
  const here = { from: 45, to: 60, seen: 61, at: 5 };
  expect(joined(here, null)).toEqual(here);
  expect(joined(here, { from: 45, to: 60, seen: 70, at: 9 })).toEqual({ from: 45, to: 60, seen: 70, at: 9 });
  expect(joined(here, { from: 60, to: 60, seen: 60, at: 4 })).toEqual({ from: 60, to: 60, seen: 61, at: 5 });
});

const digest = (number: number, more: Partial<RunDigest>): RunDigest => ({
  position: number,
  run: `r${number}`,
  number,
  workflow: "w",
  task: "t",
  status: "running",
  why: "",
  step: null,
  needsYou: 0,
  costUsd: null,
  seq: 1,
  startedAt: "2026-01-01T00:00:00Z",
  endedAt: null,
  ...more,
});

test("[PG90] news are what asks, failed or is done, what needs a person first; a run that only moved is none", () => {
  const digests = [
    digest(1, { status: "done" }),
    digest(2, {}),
    digest(3, { status: "failed" }),
    digest(4, { status: "held", needsYou: 1 }),
    digest(5, { status: "done" }),
    digest(6, { status: "cancelled" }),
    // Others of its stories work on.
    digest(7, { status: "running", needsYou: 2 }),
  ];
  const named = (to: number) => newsIn(digests, to).map(({ kind, run }) => `${kind} ${run.number}`);
  expect(named(7)).toEqual(["asked 7", "asked 4", "failed 3", "done 5", "done 1"]);
  // It went on in front of the person.
  expect(named(4)).toEqual(["asked 4", "failed 3", "done 1"]);
});

test("[PG91] a filter is kept under a name; the same name again replaces it, and what is not a filter is left out", () => {
  const failed = { name: " My failures ", words: "", status: "failed" };
  const kept = withFilter([], failed);
  expect(kept).toEqual([{ name: "My failures", words: "", status: "failed" }]);
  const replaced = withFilter(kept, { name: "My failures", words: "login", status: "failed" });
  expect(replaced).toEqual([{ name: "My failures", words: "login", status: "failed" }]);
  expect(withFilter(kept, { name: " ", words: "x", status: "" })).toBe(kept);
  expect(withFilter(kept, { name: "Nothing", words: " ", status: "" })).toBe(kept);
  expect(isEmpty({ words: " ", status: "" })).toBe(true);
  expect(withoutFilter(replaced, "My failures")).toEqual([]);
  expect(filtersIn(JSON.stringify(replaced))).toEqual(replaced);
  expect(filtersIn('[{"name":"x"},1,null,{"name":"a","words":"b","status":""}]')).toHaveLength(1);
  for (const text of [null, "", "{", "{}"]) expect(filtersIn(text)).toEqual([]);
});

test("[PG92] before a retry its effect is said, by the engine's own decision", () => {
  const run = new Driver(workflow([agent("plan", { onError: fail("broken") }), agent("ship")]));
  run.fails("plan", "exit 3");
  expect(retryPreview(run.run, run.at)).toEqual({ steps: ["plan"], stories: [], freed: [] });
  run.retry();
  expect(retryPreview(run.run, run.at)).toBe("nothing in this run has failed");
});

test("[PG92] a retry of stories names each, where it begins, and the stories that wait for it no longer", () => {
  const run = new Driver(featureDev());
  run.plan("plan", "US-1", { ...story("US-2"), dependsOn: ["US-1" as never] });
  for (let i = 0; i < 20 && run.run.header.end === null; i++) run.fails("US-1/implement", "exit 3");
  expect(run.run.header.end?.status).toBe("failed");
  const preview = retryPreview(run.run, run.at);
  expect(preview).toMatchObject({ steps: [], stories: [{ story: "US-1", step: "implement" }] });
  // What is previewed is what happens.
  const before = run.storyStates();
  run.retry();
  const changed = Object.entries(run.storyStates()).filter(([id, status]) => before[id] !== status);
  const named = typeof preview === "string" ? [] : [...preview.stories.map((each) => each.story), ...preview.freed];
  expect(changed.map(([id]) => id).toSorted()).toEqual(named.toSorted());
});

function story(id: string) {
  return { id: id as never, title: id, description: "", acceptanceCriteria: [], dependsOn: [] };
}
