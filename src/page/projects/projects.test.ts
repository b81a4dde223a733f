// What can be said to a project.

import { expect, test } from "vitest";
import { actionsOf, roleFor } from "./project-actions.ts";

const commands = [
  "pawl project approve --dir /projects/cart",
  "pawl project reject --reason needs_clarification --dir /projects/cart",
  "pawl project reject --reason default --dir /projects/cart",
];
const report = `US-001 needs your review:
Type one of:
  ${commands[0]}                                  go on with scaffold
  ${commands[1]}     go back to bdd
  ${commands[2]}                 go back to bdd`;

test("[PG87] the buttons are the commands that the project's status names, with what each does; a look is always possible", () => {
  const { actions, reasons, effects, isAnswer } = actionsOf({ commands, report });
  expect(actions).toEqual(["approve", "reject", "status"]);
  expect(reasons).toMatchObject([
    { reason: "needs_clarification", effect: "go back to bdd" },
    { reason: "default", effect: "go back to bdd" },
  ]);
  expect(effects.get("approve")).toBe("go on with scaffold");
  expect(isAnswer).toBe(false);
  // A prompt is printed and a hook is called in a terminal.
  expect(
    actionsOf({ commands: ["pawl project prompt --step bdd --story US-1", "pawl project hook"], report: "" }).actions,
  ).toEqual(["status"]);
  const asked = actionsOf({
    commands: ['pawl project approve --note "YOUR ANSWER"', "pawl project retry"],
    report: "",
  });
  expect(asked).toMatchObject({ actions: ["approve", "retry", "status"], isAnswer: true });
});

test("[PG17 HT42] what can be said to a project is offered to the roles from which the service takes it", () => {
  const actions = ["status", "approve", "reject", "continue", "retry", "skip", "abort"] as const;
  expect(actions.map(roleFor)).toEqual(["read", "answer", "answer", "operate", "operate", "operate", "operate"]);
});
