// The OpenAPI 3.1 document, made from the table of routes and the contracts of documents.

import { z } from "zod";
import { problemContract } from "../contracts/http-documents.ts";
import { contractVersion } from "../contracts/shape.ts";
import { problemType } from "./problem.ts";
import type { ApiRoute, Inputs } from "./route.ts";

type Json = Readonly<Record<string, unknown>>;

const schemaRoot = "#/components/schemas/";

export function openApiDocument(routes: readonly ApiRoute[]): Json {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationOf(route, schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Pawl",
      version: String(contractVersion),
      description: "Runs, questions and everything else of one home of Pawl. `pawl token create` makes a token.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: schemas.all(),
    },
  };
}

function operationOf(route: ApiRoute, schemas: Schemas): Json {
  const { path, role, summary, body, status, answer, others, streams } = route;
  const content = {
    "application/json": { schema: schemas.of(answer) },
    ...(streams ? { "text/event-stream": { schema: { type: "string" } } } : {}),
  };
  const problem = { description: "why not", content: { [problemType]: { schema: schemas.of(problemContract) } } };
  return {
    operationId: operationId(route),
    summary,
    ...(role === null ? { security: [] } : { description: `Needs the role \`${role}\`.` }),
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter(name ?? "", "path", true, { type: "string" })),
      ...parametersOf(route.query),
      ...Object.entries(route.headers).map(([name, description]) => ({
        ...parameter(name, "header", false, { type: "string" }),
        description,
      })),
    ],
    ...(body === null ? {} : { requestBody: requestBody(inputSchema(body)) }),
    responses: {
      [status]: { description: summary, content },
      ...Object.fromEntries(
        Object.entries(others).map(([other, schema]) => [
          other,
          { description: "not now", content: { "application/json": { schema: schemas.of(schema) } } },
        ]),
      ),
      default: problem,
    },
  };
}

/** Required where one of its keys is; a generated client then asks for it. */
function requestBody(schema: Json): Json {
  return { required: "required" in schema, content: { "application/json": { schema } } };
}

/** `GET /api/v1/runs/{run}/stories` is `getRunsRunStories`. */
function operationId({ method, path }: ApiRoute): string {
  const words = path.replace(/^\/api\/v1/, "").match(/\w+/g) ?? [];
  return [method, ...words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)].join("");
}

function parameter(name: string, place: "path" | "query" | "header", required: boolean, schema: unknown): Json {
  return { name, in: place, required, schema };
}

function parametersOf(query: Inputs | null): readonly Json[] {
  if (query === null) return [];
  const { properties = {}, required = [] } = inputSchema(query) as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    ...parameter(name, "query", required.includes(name), schema),
    ...(description === undefined ? {} : { description }),
  }));
}

function inputSchema(schema: Inputs): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });
  return rest;
}

/** The contracts that routes return, each once, under its name. */
class Schemas {
  readonly #used = new Set<string>();
  readonly #known: Readonly<Record<string, z.core.JSONSchema.BaseSchema>> = z.toJSONSchema(z.globalRegistry, {
    io: "output",
    uri: (id) => `${schemaRoot}${id}`,
    override: ({ jsonSchema }) => {
      // A later Pawl may add keys.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      delete jsonSchema.readOnly;
    },
  }).schemas;

  of(schema: z.ZodType): Json {
    const id = schema.meta()?.id;
    if (id === undefined) throw new Error("the contract of a route has no id");
    this.#use(id);
    return { $ref: `${schemaRoot}${id}` };
  }

  #use(id: string): void {
    if (this.#used.has(id)) return;
    this.#used.add(id);
    const text = JSON.stringify(this.#known[id] ?? null);
    for (const [, name = ""] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) this.#use(name);
  }

  all(): Json {
    const named = [...this.#used].toSorted().map((id) => {
      const { $schema: _, $id: __, id: ___, ...schema } = this.#known[id] ?? {};
      return [id, schema];
    });
    return Object.fromEntries(named);
  }
}
