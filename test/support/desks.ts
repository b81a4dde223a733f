// Desks for tests: a running attempt, in a run that only the engine knows, and the desk of its agent.

import type { AgentStep, Definition } from "../../src/domain/definition.ts";
import { isPerformed } from "../../src/domain/definition.ts";
import { definitionOf } from "../../src/engine/definitions.ts";
import { Desk } from "../../src/runtime/attempt/execute/desk.ts";
import { Driver, type DriverOptions } from "./engine/driver.ts";
import { ralph, workflow } from "./engine/workflow.ts";

export interface TestDesk {
  readonly desk: Desk;
  readonly driver: Driver;
  /** What was logged. */
  readonly lines: readonly string[];
  /** The number of signs of life. */
  signs(): number;
}

/** `place` is the step that runs; in a story `story/step`. */
export function deskIn(definition: Definition, place: string, options?: DriverOptions): TestDesk {
  return deskOf(new Driver(definition, options), place);
}

export function deskOf(driver: Driver, place: string): TestDesk {
  const attempt = driver.claim(place);
  const step = definitionOf(driver.run, attempt.story, attempt.name);
  if (!isPerformed(step)) throw new Error(`${place} is not performed`);
  const lines: string[] = [];
  let signs = 0;
  const input = { input: "Do it.", prompt: "Do it.", system: "", missing: [], progressFile: "" };
  const claim = { run: driver.run, number: 7, attempt, definition: step };
  const desk = new Desk(
    claim,
    input,
    () => {
      signs += 1;
    },
    (line) => lines.push(line),
  );
  return { desk, driver, lines, signs: () => signs };
}

/** The desk of a run's only step. */
export function deskFor(step: AgentStep): TestDesk {
  return deskIn(workflow([step]), step.name);
}

/** The step `planning` of a story of Dynamic Ralph, which may edit the steps after it. */
export function editingDesk(): TestDesk {
  const driver = new Driver(ralph(), { stories: ["US-1"] });
  driver.pass("US-1/step-001");
  return deskOf(driver, "US-1/step-002");
}
