// The record of a story that was taken back: once, of a story that is done, also in a run that is over.

import { expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { agent, stories, workflow } from "../../../test/support/engine/workflow.ts";
import { storyId } from "../../domain/ids.ts";
import { replay } from "../evolve.ts";

const revert = (of: string) =>
  ({ type: "revert_story", of: storyId(of), commit: "c".repeat(40), by: "d".repeat(40), on: "main" }) as const;

test("[RV5] a story that is done is taken back once, during the run and after it, and stays done", () => {
  const run = new Driver(workflow([agent("plan"), stories("stories", [agent("code")], { concurrency: 2 })]));
  run.plan("plan", "A", "B");
  expect(run.refused(revert("A")).why).toBe("story A is running: only a story that is done has a commit");
  expect(run.refused(revert("C")).why).toBe("there is no story C");
  run.pass("A/code");
  run.must(revert("A"));
  expect(run.refused(revert("A")).why).toBe(`story A was taken back already, by ${"d".repeat(12)}`);
  run.pass("B/code");
  expect(run.status).toBe("done");
  run.must(revert("B"));
  expect(run.run.header.stories).toMatchObject([
    { id: "A", status: "done", reverted: "d".repeat(40) },
    { id: "B", status: "done", reverted: "d".repeat(40) },
  ]);
  expect(replay(run.events)?.header.stories).toEqual(run.run.header.stories);
});

test("[RV5] a story that was dropped has nothing to take back", () => {
  const run = new Driver(workflow([agent("plan"), stories("stories", [agent("code")], { concurrency: 2 })]));
  run.plan("plan", "A", "B");
  run.must({ type: "drop_story", of: storyId("B"), as: "done", reason: "" });
  expect(run.refused(revert("B")).why).toBe("story B was dropped: nothing of it is on the base");
});
