// What others changed in files: what is adopted moves a run, what is refused is only recorded.

import { expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { agent, stories, storySpec, workflow } from "../../test/support/engine/workflow.ts";
import type { FileChange } from "../domain/file-change.ts";
import { noteId, storyId } from "../domain/ids.ts";

const three = () => new Driver(workflow([stories("each", [agent("code")])]), { stories: ["A", "B", "C"] });

const changed = (field: string, adopts: FileChange["adopts"], story = "A") => ({
  file: "STATE.json",
  field,
  value: "x",
  why: `${field} was changed`,
  story: storyId(story),
  adopts,
  note: noteId(`n-${field}-${story}`),
});

const taking = (run: Driver, ...changes: readonly ReturnType<typeof changed>[]) =>
  run.must({ type: "take_file_changes", changes }, "file").events;

const note = (text: string) => ({ kind: "note", text }) as const;

test("[FC1 D25] a refused change is recorded with its words and moves nothing", () => {
  const run = three();
  const before = run.run;
  const events = taking(run, changed("status", null), changed("own", { kind: "kept" }));
  expect(events).toMatchObject([
    {
      type: "file_change_refused",
      file: "STATE.json",
      field: "status",
      value: "x",
      why: "status was changed",
      story: "A",
    },
    { type: "file_change_adopted", field: "own" },
  ]);
  expect(run.run).toEqual(before);
});

test("[FC2 D74] words become one note, however often they are found before somebody has read them", () => {
  const run = three();
  expect(taking(run, changed("human_note", note("use UTC"))).map(({ type }) => type)).toEqual([
    "note_added",
    "file_change_adopted",
  ]);
  expect(taking(run, changed("human_note", note("use UTC")))).toEqual([]);
  expect(run.run.header.notes).toMatchObject([{ text: "use UTC", by: "file", story: "A" }]);
  run.claim("A/code");
  expect(run.notes("A/code")).toEqual(["use UTC"]);
});

test("[FC3] a chosen story begins before all others that wait, and the last choice counts", () => {
  const run = three();
  const choose = (id: string) => taking(run, changed("story", { kind: "story", spec: storySpec(id) }));
  choose("B");
  choose("C");
  expect(choose("C").map(({ type }) => type)).toEqual(["file_change_adopted"]);
  expect(choose("A")).toMatchObject([{ type: "file_change_refused", why: expect.stringContaining("A has begun") }]);
  for (const id of ["A", "C", "B"]) run.pass(`${id}/code`);
  expect(run.run.header.end?.status).toBe("done");
});

test("[FC3] what no session would read is refused with the reason, and a run that is over takes nothing", () => {
  const run = three();
  run.pass("A/code");
  expect(taking(run, changed("human_note", note("late")))).toMatchObject([
    { type: "file_change_refused", why: expect.stringContaining("story A is done") },
  ]);
  run.must({ type: "cancel_run", reason: "" });
  const changes = [changed("status", null)];
  expect(run.refused({ type: "take_file_changes", changes })).toMatchObject({ code: "over" });
});
