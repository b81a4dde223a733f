// Checks that stories with trees of their own bring all their work back to the base, and that none counts as done before.

import type { IntegrateStep, StepDefinition, StoriesStep } from "../../domain/definition.ts";
import type { Route } from "../../domain/route.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { type Checked, labelOf, originOf } from "./checked.ts";
import { answers, exitsOf } from "./exits.ts";
import { foreignIn } from "./templates.ts";

const add = "add `workspace: worktree`, and `integrate:` as the last step of the body";

export function checkTrees({ reading }: Checked, step: StoriesStep): void {
  const path = [...originOf(reading, step), "stories"];
  const own = step.workspace === "worktree";
  if (step.concurrency > 1 && !own) {
    refuse(reading, [...path, "concurrency"], {
      message: `Step '${step.name}': concurrency above 1 needs a worktree per story`,
      expected: "`workspace: worktree` beside it, or 1",
      hint: add,
    });
  }
  if (own && !step.body.some((inner) => inner.kind === "integrate")) {
    refuse(reading, [...path, "workspace"], {
      message: `Step '${step.name}': its stories are not integrated: their work would be lost`,
      expected: "a last step of the body that integrates",
      hint: "add `- { id: integrate, integrate: true }` to the end of the body",
    });
  }
  if (step.branchPrefix !== undefined) checkPrefix(reading, step, step.branchPrefix, [...path, "branch_prefix"]);
  // The integration does not count: it is Pawl's own step and hidden in the chain.
  const first = step.body.filter((inner) => !inner.spare && inner.kind !== "integrate").length;
  if (step.maxSteps !== undefined && step.maxSteps < first) {
    refuse(reading, [...path, "max_steps"], {
      message: `Step '${step.name}': a story begins with ${first} steps, and \`max_steps\` allows ${step.maxSteps}`,
      expected: `${first} or more`,
      hint: "leave room for the steps that edits and routes add",
    });
  }
  if (own) checkBudgetAnswers(reading, step);
}

/** The chain that the step stands in must be a body whose stories have trees; there it is what everything ends with. */
export function checkIntegrate({ reading, chain, bodyOf }: Checked, step: IntegrateStep, index: number): void {
  const path = originOf(reading, step);
  if (bodyOf?.workspace !== "worktree") {
    const where = bodyOf ? "the stories have no tree of their own" : "it is not a step of a story";
    refuse(reading, path, {
      message: `Step '${step.name}' has nothing to integrate: ${where}`,
      expected: "the body of stories with `workspace: worktree`",
      hint: bodyOf ? add : "the run's own branch is its result; merge it as you like",
    });
  } else if (index < chain.length - 1) {
    const other = chain.slice(index + 1).find((later) => later.kind === "integrate");
    refuse(reading, path, {
      message: other
        ? `Step '${step.name}': a story is integrated once, and '${other.name}' does it too`
        : `Step '${step.name}' must be the last step of its body`,
      expected: "one integrate step, at the end",
      hint: "what is integrated is on the base; nothing of the story can follow",
    });
  }
  checkMessage(reading, step, [...path, "integrate", "message"]);
  checkWaysOn(reading, step);
}

function checkMessage(reading: Reading, step: IntegrateStep, path: Path): void {
  const foreign = foreignIn(step.message, ["story", "title"]);
  if (foreign === null) return;
  refuse(reading, path, {
    message: `Step '${step.name}': \`${foreign}\` is not known in a commit's message`,
    expected: "{{story}} and {{title}}",
    hint: "what agents say is not part of the message",
    text: foreign,
  });
}

/** Only a story whose commit is on the base continues; its dependants start from there. */
function checkWaysOn(reading: Reading, step: IntegrateStep): void {
  const { passed, ...others } = step.on;
  if (passed && passed.route.to !== "next") {
    refuse(reading, originOf(reading, passed.route, step), {
      message: `${labelOf(reading, passed.route, step)}: an integrated story is done`,
      expected: "next",
      hint: "put the question or the check before the integration",
    });
  }
  for (const { route } of exitsOf({ ...step, on: others })) {
    if (isWayOn(route)) refuseWayOn(reading, step, route, "its work would be lost");
  }
}

function checkBudgetAnswers(reading: Reading, step: StoriesStep): void {
  const { then } = step.storyBudget;
  for (const { route } of then.to === "gate" ? answers(then.options) : []) {
    if (isWayOn(route)) refuseWayOn(reading, step, route, "the step that is held may be the integration");
  }
}

/** It would call the story done without its integration. */
function isWayOn({ to }: Route): boolean {
  return to === "next" || to === "end";
}

function refuseWayOn(reading: Reading, step: StepDefinition, route: Route, hint: string): void {
  refuse(reading, originOf(reading, route, step), {
    message: `${labelOf(reading, route, step)}: a story that is not integrated cannot continue`,
    expected: "again, back_to, gate or fail",
    hint,
  });
}

/** What git takes as the beginning of a branch's name, whatever safe id follows. */
function checkPrefix(reading: Reading, step: StoriesStep, prefix: string, path: Path): void {
  const name = `${prefix}x`;
  const parts = name.split("/");
  const fits =
    /^[\w][\w./+-]*$/.test(name) &&
    !name.includes("..") &&
    parts.every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
  if (!fits) {
    refuse(reading, path, {
      message: `Step '${step.name}': "${prefix}" cannot begin the name of a branch`,
      expected: "letters, digits, `-`, `_`, `.` and `/`, starting with a letter or digit",
      hint: "for example `story/`",
    });
  } else if (step.workspace !== "worktree") {
    refuse(reading, path, {
      message: `Step '${step.name}': \`branch_prefix\` has no effect: its stories have no branches of their own`,
      expected: "`workspace: worktree` beside it",
      hint: add,
    });
  }
}
