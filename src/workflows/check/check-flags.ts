// Checks that the flags of a step (`last`, `follows`, `editable`, `session`) can be kept.

import type { StepDefinition } from "../../domain/definition.ts";
import { refuse } from "../document/reading.ts";
import { type Checked, originOf } from "./checked.ts";

export function checkFlags(checked: Checked, step: StepDefinition, index: number): void {
  if (step.kind !== "agent" && step.kind !== "command" && step.kind !== "decision") return;
  if (step.last) checkLast(checked, step, index);
  if (step.follows) checkFollows(checked, step, index, step.follows);
  if (step.editable) checkEditable(checked, step);
  if (step.dependent) checkDependent(checked, step);
  if (step.session !== undefined) checkSession(checked, step, index, step.session);
}

/** Only a step that was performed before has a session to continue. */
function checkSession({ reading, chain }: Checked, step: StepDefinition, index: number, named: string): void {
  const at = chain.findIndex((other) => other.name === named);
  if (at >= 0 && at <= index && chain[at]?.kind === "agent") return;
  const found = at < 0 ? "not found" : at > index ? "comes later" : `is a ${chain[at]?.kind} step`;
  refuse(reading, [...originOf(reading, step), "session", "same_as"], {
    message: `Step '${step.name}' continues the session of '${named}': ${found}`,
    expected: "an agent step of the same chain: this one, or one before it",
    hint: "name the step whose work it continues, or remove `session`",
  });
}

/** Behind it may stand only what no edit puts there: the integration, and steps that are not there yet. */
function checkLast({ reading, chain }: Checked, step: StepDefinition, index: number): void {
  const path = [...originOf(reading, step), "last"];
  const twice = chain.slice(0, index).find((other) => "last" in other && other.last);
  const behind = chain.slice(index + 1).find((other) => other.kind !== "integrate" && !other.spare);
  if (twice) {
    refuse(reading, path, {
      message: `Step '${step.name}': '${twice.name}' is the last step already`,
      expected: "`last` on one step of a chain",
      hint: "remove one of the two",
    });
  } else if (behind) {
    refuse(reading, path, {
      message: `Step '${step.name}' is the last one, and '${behind.name}' comes after it`,
      expected: "no step after it but `integrate`",
      hint: `move \`last\` to the step that ends the chain`,
    });
  }
}

/** The order of the file is the first that must keep the rule. */
function checkFollows(checked: Checked, step: StepDefinition, index: number, follows: readonly string[]): void {
  const { reading, chain } = checked;
  const path = [...originOf(reading, step), "follows"];
  follows.forEach((name, place) => {
    const at = chain.findIndex((other) => other.name === name);
    if (at >= 0 && at < index && !chain[at]?.spare) return;
    const found =
      at < 0 ? "not found" : at === index ? "is the step itself" : chain[at]?.spare ? "is a spare step" : "comes later";
    refuse(reading, [...path, place], {
      message: `Step '${step.name}' follows '${name}': ${found}`,
      expected: "a step before it in the same chain",
      hint: "name the steps whose work it looks at",
    });
  });
}

/** Only where steps may run at once does it matter which of them must not. */
function checkDependent({ reading, definition }: Checked, step: StepDefinition): void {
  const able = reading.protocols.filter(({ formsWaves }) => formsWaves).map(({ name }) => name);
  if (definition.protocol !== null && able.includes(definition.protocol)) return;
  refuse(reading, [...originOf(reading, step), "dependent"], {
    message: `Step '${step.name}': \`dependent\` has no effect: the steps of this file never run at once`,
    expected: `\`protocol: ${able[0] ?? "NAME"}\` at the top of the file`,
    hint: "remove it",
  });
}

/** Agents ask for edits in files of a protocol, and those are files of a story. */
function checkEditable({ reading, definition, bodyOf }: Checked, step: StepDefinition): void {
  const able = reading.protocols.filter(({ takesEdits }) => takesEdits).map(({ name }) => name);
  const { protocol } = definition;
  if (protocol !== null && able.includes(protocol) && bodyOf !== null) return;
  const without = protocol === null ? "the file has no `protocol`" : `\`protocol: ${protocol}\` takes no edits`;
  const why = bodyOf === null ? "it is not a step of a story" : without;
  const line = `\`protocol: ${able[0] ?? "NAME"}\``;
  refuse(reading, [...originOf(reading, step), "editable"], {
    message: `Step '${step.name}': \`editable\` has no effect: ${why}`,
    expected: `a step in the body of stories, and ${line} at the top of the file`,
    hint: bodyOf === null ? "remove it" : `add ${line}: it says where an agent writes what it wants changed`,
  });
}
