// The transition tables.

import { describe, expect, test } from "vitest";
import { allows, attemptTable, gateTable, IllegalTransition, move, runTable, stepTable, storyTable } from "./tables.ts";

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>;
const tables: Record<string, Table> = { stepTable, attemptTable, storyTable, gateTable, runTable };

describe.each(Object.entries(tables))("%s", (_, table) => {
  test("[RE3 X5 C30 C34] every change leads to a state of the table", () => {
    for (const row of Object.values(table))
      for (const to of Object.values(row)) expect(Object.keys(table)).toContain(to);
  });
});

test("[AT7] an attempt only goes forward", () => {
  const order = ["dispatched", "started", "stopping", "ended"];
  for (const [from, row] of Object.entries(attemptTable)) {
    for (const to of Object.values(row)) expect(order.indexOf(to)).toBeGreaterThan(order.indexOf(from));
  }
});

test("[RU6 ST5] nothing leads out of a final state", () => {
  expect(runTable.done).toEqual({});
  expect(runTable.cancelled).toEqual({});
  expect(storyTable.done).toEqual({});
  expect(stepTable.cancelled).toEqual({});
  expect(gateTable.void).toEqual({});
});

test("[RE3] a change that is not in the table throws, and `allows` says so before", () => {
  expect(move(stepTable, "step a", "ready", "dispatch")).toBe("running");
  expect(() => move(stepTable, "step a", "done", "dispatch")).toThrow(IllegalTransition);
  expect(allows(runTable, "open", "pause")).toBe(true);
  expect(allows(runTable, "done", "pause")).toBe(false);
});
