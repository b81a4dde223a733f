// What is said of caps before a run starts.

import { expect, test } from "vitest";
import { agent, stories, workflow } from "../../../test/support/engine/workflow.ts";
import { defaultCaps } from "../../domain/definition.ts";
import { capWarnings } from "./caps.ts";

test("[CM68 CM91] a number and its noun agree where one story exceeds a cap", () => {
  const definition = workflow([stories("each", [agent("code")])], {
    caps: { ...defaultCaps, attempts: 0, given: ["attempts"] },
  });
  expect(capWarnings(definition, { all: 1, open: 1 }).notes).toEqual([
    expect.stringMatching(/^1 story needs at least 1 attempt, but /),
  ]);
});
