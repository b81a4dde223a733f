// The OpenAPI document: valid, complete, and made of schemas that can be used.

import { expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../test/support/api-client.ts";
import { serve } from "../../test/support/http-service.ts";
import { routes } from "./routes.ts";

/** What OpenAPI 3.1 says of the parts that the document uses; other keys are refused. */
const reference = z.strictObject({ $ref: z.string().regex(/^#\/components\/schemas\/\w+$/) });
const schema = z.record(z.string(), z.unknown());
const content = z.record(
  z.string().regex(/^[\w.+-]+\/[\w.+-]+$/),
  z.strictObject({ schema: z.union([reference, schema]) }),
);
const response = z.strictObject({ description: z.string().min(1), content });
const parameter = z
  .strictObject({
    name: z.string().min(1),
    in: z.enum(["path", "query", "header"]),
    required: z.boolean(),
    description: z.string().optional(),
    schema,
  })
  .refine((given) => given.in !== "path" || given.required, "a parameter of a path is required");
const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z]\w+$/i),
  summary: z.string().min(1),
  description: z.string().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z.array(parameter),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string().regex(/^(?:[1-5]\d\d|default)$/), response),
});
const openApi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(z.string().regex(/^\//), z.partialRecord(z.enum(["get", "post"]), operation)),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), z.strictObject({ type: z.literal("http"), scheme: z.literal("bearer") })),
    schemas: z.record(z.string().regex(/^[\w.-]+$/), schema),
  }),
});

test("[HT40] the document is valid, has every route and no other, and every name that it uses is there", async () => {
  const service = await serve();
  const document = openApi.parse((await clientOf(service, "read").get("/api/v1/openapi.json")).body);
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((each) => ({ path, ...each })),
  );
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, parameters } of operations) {
    const named = parameters.filter((each) => each.in === "path").map(({ name }) => name);
    expect({ path, named }).toEqual({ path, named: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name) });
  }
  const { schemas } = document.components;
  const used = new Set(
    [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name),
  );
  expect([...used].toSorted()).toEqual(Object.keys(schemas).toSorted());
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = ""]) => to);
  expect(refs.filter((to) => !to.startsWith("#/components/schemas/"))).toEqual([]);
  expect(JSON.stringify(schemas)).not.toContain('"additionalProperties":false');
});

test("[HT40] a schema of the document takes the answer of its call, and refuses another", async () => {
  const service = await serve();
  const reader = clientOf(service, "read");
  const { components } = openApi.parse((await reader.get("/api/v1/openapi.json")).body);
  const schemaOf = (name: string) => z.fromJSONSchema({ ...components.schemas[name], components });
  const { body } = await reader.get("/api/v1/workers");
  expect(schemaOf("WorkerList").safeParse(body).success).toBe(true);
  expect(schemaOf("WorkerList").safeParse({ workers: [{ worker: 1 }] }).success).toBe(false);
  const problem = await reader.get("/api/v1/runs/1");
  expect(schemaOf("Problem").safeParse(problem.body).success).toBe(true);
  expect(schemaOf("Problem").safeParse({ ...problem.body, code: "WHAT" }).success).toBe(false);
});
