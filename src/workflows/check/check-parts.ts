// Checks a step with parts: its parts have agents that exist, and lead nowhere but to their own end.

import { type PerformedDefinition, partsWrite } from "../../domain/definition.ts";
import { refusedNames } from "../../domain/part.ts";
import type { Route } from "../../domain/route.ts";
import { nearest } from "../document/problem.ts";
import { refuse } from "../document/reading.ts";
import { type Checked, originOf } from "./checked.ts";
import { answers } from "./exits.ts";
import { partsOf } from "./templates.ts";

export function checkParts(checked: Checked, step: PerformedDefinition): void {
  if (step.parts === undefined) return;
  checkProtocol(checked, step);
  checkAgents(checked, step);
  checkErrorRoutes(checked, step);
  checkNames(checked, step);
}

function checkProtocol({ definition, reading }: Checked, step: PerformedDefinition): void {
  if (definition.protocol === null) return;
  if (reading.protocols.some(({ name, showsParts }) => name === definition.protocol && showsParts)) return;
  refuse(reading, [...originOf(reading, step), "parts"], {
    message: `Step '${step.name}': the files of \`protocol: ${definition.protocol}\` have no place for parts`,
    expected: "steps without `parts` beside such a `protocol`",
    hint: "make each part a step of its own",
  });
}

function checkAgents({ definition, reading }: Checked, step: PerformedDefinition): void {
  const names = Object.keys(definition.agents);
  for (const [index, { name, agent }] of partsOf(step).entries()) {
    if (agent === undefined || Object.hasOwn(definition.agents, agent)) continue;
    const meant = nearest(agent, names);
    refuse(reading, [...originOf(reading, step), "parts", index, "agent"], {
      message: `Step '${step.name}' (${name}): there is no agent '${agent}'`,
      expected: names.length > 0 ? `one of: ${names.join(", ")}` : "an agent in `agents`",
      hint: meant ? `did you mean \`${meant}\`?` : "add it to `agents`",
    });
  }
}

/** A part is repeated, asks about itself, or fails. Where the work goes on is the matter of the whole step. */
function checkErrorRoutes({ reading }: Checked, step: PerformedDefinition): void {
  const { onError, onErrorBy = {}, onUnreadable } = step;
  const rules = [onError, ...Object.values(onErrorBy), ...(onUnreadable ? [onUnreadable] : [])];
  const routes = rules.flatMap(({ route, limit }) => [route, ...(limit ? [limit.then] : [])]);
  const asked = routes.flatMap((route) =>
    route.to === "gate" ? answers(route.options).map((exit) => exit.route) : [],
  );
  for (const route of [...routes, ...asked]) {
    if (staysInPart(route)) continue;
    refuse(reading, reading.origins.get(route) ?? originOf(reading, step), {
      message: `Step '${step.name}': an attempt of a part cannot lead to \`${route.to}\``,
      expected: "again, gate or fail",
      hint: "`on` says where the step leads once all of its parts have ended",
    });
  }
}

function staysInPart({ to }: Route): boolean {
  return to === "again" || to === "gate" || to === "fail" || to === "next";
}

/** `parts: { each: KEY }` is looked at when the names are known. */
function checkNames({ definition, reading }: Checked, step: PerformedDefinition): void {
  const names = partsOf(step).map(({ name }) => name);
  if (names.length === 0 || !partsWrite(definition, step)) return;
  const refused = refusedNames(names, { write: true });
  if (refused === null) return;
  refuse(reading, [...originOf(reading, step), "parts"], {
    message: `Step '${step.name}': ${refused}`,
    expected: "another name for this part",
    hint: "or `access: read`, where its parts change no files",
  });
}
