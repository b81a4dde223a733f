import { expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { unfinished } from "../../../test/support/engine/reports.ts";
import {
  agent,
  ask,
  backTo,
  end,
  fail,
  gate,
  insert,
  next,
  stories,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import { previewAnswer } from "./answer-preview.ts";

const said = (run: Driver, step: string, option: string, more: { reason?: string; note?: string } = {}) => {
  const { isRefused, sentences } = previewAnswer(
    run.run,
    run.openGate(step),
    { option, reason: more.reason ?? null, note: more.note ?? "" },
    run.at,
  );
  return isRefused ? ["REFUSED", ...sentences] : sentences;
};

test("[PG44] each option says where it leads, and the run stays as it is", () => {
  const options = {
    approve: next,
    back: backTo("work"),
    stop: fail("not approved"),
    ready: end,
    more: ask({ yes: next, no: fail() }, "Really?"),
  };
  const run = new Driver(workflow([agent("work"), agent("check"), gate("review", options), agent("ship")]));
  run.pass("work");
  run.pass("check");
  const before = JSON.stringify(run.run);
  expect(said(run, "review", "approve")).toEqual(["ship starts"]);
  expect(said(run, "review", "back")).toEqual(["work starts again, 3 steps are reset"]);
  expect(said(run, "review", "stop")).toEqual(["the run fails: not approved"]);
  expect(said(run, "review", "ready")).toEqual(["the run is done", "1 step is skipped"]);
  expect(said(run, "review", "more")).toEqual(["asks next: Really?"]);
  expect(said(run, "review", "nothing")[0]).toBe("REFUSED");
  expect(JSON.stringify(run.run)).toBe(before);
  run.answer("review", "back");
  expect(run.states()).toEqual({ work: "ready", check: "waiting", review: "waiting", ship: "waiting" });
});

test("[PG44] a reason with a route of its own leads elsewhere", () => {
  const options = { approve: next, reject: fail("no"), "reject:unclear": backTo("work") };
  const run = new Driver(workflow([agent("work"), gate("review", options)]));
  run.pass("work");
  expect(said(run, "review", "approve")).toEqual(["the run is done"]);
  expect(said(run, "review", "reject")).toEqual(["the run fails: no"]);
  expect(said(run, "review", "reject", { reason: "unclear" })).toEqual(["work starts again, 2 steps are reset"]);
});

test("[PG44] steps that are added, stories that start and end, and a paused run are said", () => {
  const options = { approve: next, drop: fail("not wanted"), fix: insert("mend") };
  const body = [agent("code"), gate("look", options), agent("mend", { spare: true })];
  const run = new Driver(workflow([agent("plan"), stories("each", body), agent("ship")]));
  run.plan("plan", "US-1", "US-2");
  run.pass("US-1/code");
  expect(said(run, "US-1/look", "approve")).toEqual(["US-2 code starts", "story US-1 is done", "1 story starts"]);
  expect(said(run, "US-1/look", "drop")).toEqual(["the run fails: story US-1 failed", "story US-1 is failed"]);
  expect(said(run, "US-1/look", "fix")).toEqual(["mend is added", "US-1 mend starts", "US-1 look starts again"]);
  run.pause();
  expect(said(run, "US-1/look", "approve")).toContain("the run stays paused");
});

test("[PG44] a question of an agent says that it needs words until there are some", () => {
  const run = new Driver(workflow([agent("work"), agent("ship")]));
  run.finish("work", unfinished("failed", "it asks", { asked: { question: "Which port?", options: [] } }));
  expect(said(run, "work", "answer")).toEqual(["REFUSED", "refused: write your answer into the note first"]);
  expect(said(run, "work", "answer", { note: "8080" })).toEqual(["work starts"]);
});
