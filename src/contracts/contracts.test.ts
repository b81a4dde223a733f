import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { AgentDefinition, Definition, StepDefinition } from "../domain/definition.ts";
import type { ErrorCode } from "../domain/error.ts";
import type { Event } from "../domain/event.ts";
import type {
  AgentName,
  AttemptId,
  GateId,
  NoteId,
  PartName,
  RunId,
  StepId,
  StepName,
  StoryId,
} from "../domain/ids.ts";
import { contracts, jsonSchemaOf, listSchemas } from "./contracts.ts";
import type { DefinitionDocument } from "./definition.ts";
import type { ErrorDocument } from "./error-document.ts";
import { type EventDocument, eventContract } from "./events.ts";

type Id = AgentName | AttemptId | GateId | NoteId | RunId | StepId | PartName | StepName | StoryId;

/** A domain type as it is in JSON: ids are strings. */
type Plain<T> = T extends Id
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Plain<T[Key]> }
      : T;

/** Each type of event separately, so that a difference names the event. */
type Shown<Type extends Event["type"]> = Plain<
  Omit<Extract<Event, { type: Type }>, "at" | "token" | "definition"> & { seq: number; at: string }
>;
type Contracted<Type extends Event["type"]> = Plain<Extract<EventDocument, { type: Type }>>;
type Different = {
  [Type in Event["type"]]: [Shown<Type>, Contracted<Type>] extends [Contracted<Type>, Shown<Type>]
    ? keyof Shown<Type> extends keyof Contracted<Type>
      ? never
      : Type
    : Type;
}[Event["type"]];

test("[LB1] every type of event has a contract with exactly its fields", () => {
  // Checked by the compiler: a type of event, or a field of one, that has no contract is an error here.
  expectTypeOf<EventDocument["type"]>().toEqualTypeOf<Event["type"]>();
  expectTypeOf<Different>().toEqualTypeOf<never>();
  const types = eventContract.options.map((option) => option.unwrap().shape.type.value);
  expect(new Set(types).size).toBe(types.length);
});

/** `agent.input`, `gate.question`, … */
type KeysOf<Step extends { readonly kind: string }> = Step extends unknown
  ? `${Step["kind"]}.${Extract<keyof Step, string>}`
  : never;

test("[LB1] a definition and an error have the fields of the domain", () => {
  expectTypeOf<keyof DefinitionDocument>().toEqualTypeOf<keyof Definition>();
  expectTypeOf<keyof AgentDefinition>().toEqualTypeOf<keyof DefinitionDocument["agents"][string]>();
  expectTypeOf<KeysOf<StepDefinition>>().toEqualTypeOf<KeysOf<DefinitionDocument["steps"][number]>>();
  expectTypeOf<ErrorDocument["error"]["code"]>().toEqualTypeOf<ErrorCode>();
});

test("[LB2] every contract becomes a JSON Schema with its name and version that allows keys of later versions", () => {
  for (const [name, contract] of Object.entries(contracts)) {
    const schema = jsonSchemaOf(name, contract);
    expect(schema).toMatchObject({ $id: `pawl:1:${name}`, $schema: expect.stringContaining("2020-12") });
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  }
  expect(z.fromJSONSchema(jsonSchemaOf("started", contracts["started"] as never)).parse).toBeTypeOf("function");
  expect(listSchemas().documents.map(({ name }) => name)).toEqual(Object.keys(contracts));
});

test("[LB3] an unknown key violates a contract", () => {
  const why = {
    run: "k3",
    number: 1,
    task: "do it",
    status: "held",
    why: "it waits",
    unfinished: [],
    closing: [],
    gates: [],
  };
  const { schema } = contracts["why"] as (typeof contracts)[string];
  expect(schema.safeParse(why).success).toBe(true);
  expect(schema.safeParse({ ...why, more: 1 }).success).toBe(false);
  expect(schema.safeParse({ ...why, status: "sleeping" }).success).toBe(false);
});

test("[LB4] only `pawl schema` and the HTTP API load contracts: everything else imports their types", () => {
  const src = fileURLToPath(new URL("../", import.meta.url));
  const loading = globSync("**/*.ts", { cwd: src })
    .filter((file) => !/^(?:contracts|http)\//.test(file) && file !== "cli/commands/setup/schema.ts")
    .filter((file) => /^(?:import|export) (?!type )[^;]*\/contracts\//m.test(readFileSync(`${src}${file}`, "utf8")));
  expect(loading).toEqual([]);
});
