// `schedule` in workflow files.

import { describe, expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";

const head = "pawl: 1\nid: nightly\nagents: { a: {} }\nsteps: [{ id: one, agent: a }]\n";
const load = (schedule: string, more = "") => loadWorkflow(`${head}${more}schedule: ${schedule}\n`, "w.yml");
const problemOf = (schedule: string, more = "") => load(schedule, more).problems[0];

test("[SD1] a schedule has its times, a zone, a task, what becomes of missed times, and keys", () => {
  const full = `{ cron: " 0 3 * * 1-5 ", zone: Europe/Berlin, task: Audit, missed: skip, context: { Area: tests, n: 3 } }`;
  expect(load(full).schedule).toEqual({
    cron: "0 3 * * 1-5",
    zone: "Europe/Berlin",
    task: "Audit",
    missed: "skip",
    context: { area: "tests", n: "3" },
  });
  expect(load('{ cron: "@daily", task: Audit }').schedule).toMatchObject({ zone: "UTC", missed: "once", context: {} });
  expect(loadWorkflow(head, "w.yml").schedule).toBeUndefined();
  expect(loadWorkflow(head, "w.yml").definition).toEqual(load('{ cron: "@daily", task: Audit }').definition);
});

describe("[SD2] what is no schedule is refused with its line and what to write", () => {
  test.each([
    ["three fields", "* * *", "does not have five fields"],
    ["six fields", "0 0 3 * * *", "does not have five fields"],
    ["a word", "daily", "does not have five fields"],
    ["nothing but a space", " ", "does not have five fields"],
    ["minute 60", "60 * * * *", "invalid value for minute: 60"],
    ["hour 24", "0 24 * * *", "invalid value for hour: 24"],
    ["weekday 8", "0 3 * * 8", "invalid value for dayOfWeek: 8"],
    ["a range backwards", "5-1 * * * *", "from value is larger"],
    ["a step of nothing", "*/0 * * * *", "illegal stepping"],
    ["30 February", "0 0 30 2 *", "never comes"],
    ["31 in short months", "0 0 31 2,4,6 *", "never comes"],
    ["the time of this machine", "? ? * * *", "is not a cron expression"],
    ["the start of the machine", "@reboot", "is not a cron expression"],
    ["a date", "2026-01-01T00:00:00", "is not a cron expression"],
    ["a long text", `${"1,".repeat(150)}1 * * * *`, "cannot be"],
  ])("%s", (_, cron, message) => {
    const problem = problemOf(`{ cron: "${cron}", task: Audit }`);
    expect(problem).toMatchObject({ severity: "error", line: 5, path: "schedule.cron" });
    expect(problem?.message).toContain(message);
    expect(problem?.hint).toContain("0 3 * * 1-5");
    expect(load(`{ cron: "${cron}", task: Audit }`).schedule).toBeUndefined();
  });

  test.each([
    ["Mars/Base", "continent and the city"],
    ["Berlin", "did you mean `Europe/Berlin`?"],
    ["new york", "did you mean `America/New_York`?"],
    ["+02:00", "continent and the city"],
    ["", "continent and the city"],
    ["local", "continent and the city"],
  ])("the zone %j", (zone, hint) => {
    const problem = problemOf(`{ cron: "@daily", zone: "${zone}", task: Audit }`);
    expect(problem).toMatchObject({ severity: "error", line: 5, path: "schedule.zone" });
    expect(problem?.hint).toContain(hint);
  });

  test("no task, an empty one, the times alone, another policy, another key", () => {
    expect(problemOf('{ cron: "@daily" }')).toMatchObject({ line: 5, message: "`task` is missing" });
    expect(problemOf('{ cron: "@daily", task: " " }')).toMatchObject({ message: "`schedule.task` is empty" });
    expect(problemOf('"0 3 * * *"')).toMatchObject({
      line: 5,
      message: '`schedule` cannot be the text "0 3 * * *"',
      hint: expect.stringContaining("schedule: { cron: TIMES"),
    });
    expect(problemOf("{ task: Audit }")).toMatchObject({ message: "`cron` is missing" });
    expect(problemOf('{ cron: "@daily", task: Audit, missed: all }')?.expected).toContain("once");
    expect(problemOf('{ cron: "@daily", task: Audit, timezone: UTC }')?.message).toContain("unknown key `timezone`");
  });

  test("an input that nothing gives, a key that Pawl sets, a key that is none", () => {
    const inputs = "inputs: [subject]\n";
    expect(problemOf('{ cron: "@daily", task: Audit }', inputs)).toMatchObject({
      path: "schedule",
      message: expect.stringContaining("input subject"),
    });
    expect(load('{ cron: "@daily", task: Audit, context: { SUBJECT: x } }', inputs).problems).toEqual([]);
    expect(problemOf('{ cron: "@daily", task: Audit, context: { run_id: x } }')?.message).toContain("sets run_id");
    expect(problemOf('{ cron: "@daily", task: Audit, context: { "a b": x } }')?.message).toContain("cannot be a key");
  });

  test("stars without quotes", () => {
    const problem = problemOf("{ cron: */5 * * * *, task: Audit }");
    expect(problem).toMatchObject({ line: 5, hint: 'write `cron: "*/5 * * * *"`' });
  });
});

describe("[SD3] a schedule counts only in Pawl's own files, and only for the file that has it", () => {
  const foreign = "id: f\nagents: [{ id: a, workspace: { baseDir: x, files: {} } }]\n";
  const steps = "steps: [{ id: one, agent: a, input: hi, expects: done }]\n";

  test("in a file of antfarm it has no effect, which is said", () => {
    const loaded = loadWorkflow(`${foreign}${steps}schedule: { cron: "@daily", task: x }\n`, "w.yml");
    expect(loaded.definition).not.toBeNull();
    expect(loaded.schedule).toBeUndefined();
    expect(loaded.problems).toMatchObject([
      { severity: "warning", line: 4, message: expect.stringContaining("it has no effect") },
    ]);
    expect(loaded.problems[0]?.hint).toContain("pawl: 1");
  });

  test("the schedule of an included file is its own", () => {
    const inner = `${head.replace("nightly", "inner")}schedule: { cron: "@daily", task: x }\n`;
    const outer = "pawl: 1\nid: outer\nsteps: [{ id: sub, workflow: ./inner.yml }]\n";
    const find = () => ({ file: "inner.yml", text: inner, roleFolder: "." });
    const loaded = loadWorkflow(outer, "w.yml", [], { find });
    expect(loaded.problems).toEqual([]);
    expect(loaded.definition?.steps.map(({ name }) => name)).toEqual(["sub.one"]);
    expect(loaded.schedule).toBeUndefined();
  });
});
