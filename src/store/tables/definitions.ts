// Every query on definitions, the workflows that runs froze. They are keyed by content, so that a thousand runs of one workflow
// share one copy.

import type { Kysely } from "kysely";
import type { Definition } from "../../domain/definition.ts";
import { sha256Of } from "../../system/sha256.ts";
import { readDocument } from "../document.ts";
import { currentDefinition } from "../older-documents.ts";
import type { Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { statement } from "../statement.ts";

/** Parsed definitions by hash. A stored definition never changes, so each is read only once. */
export type DefinitionCache = Map<string, Definition>;

export async function selectDefinition(db: Kysely<Tables>, cache: DefinitionCache, hash: string): Promise<Definition> {
  const known = cache.get(hash);
  if (known) return known;
  const { body } = await byHash.one(db, { hash });
  const definition = currentDefinition(
    readDocument<Definition>(body, `the workflow ${hash.slice(0, 12)}`, ["id", "steps", "agents"]),
  );
  cache.set(hash, definition);
  return definition;
}

/** Returns the hash of the definition. */
export async function insertDefinition(db: Kysely<Tables>, definition: Definition): Promise<string> {
  const body = JSON.stringify(definition);
  const hash = sha256Of(body);
  await insert.run(db, { hash, body });
  return hash;
}

const byHash = statement<{ hash: string }, { body: string }>(
  (_, p) => sqlText`select body from definitions where hash = ${p("hash")}`,
);

const insert = statement<{ hash: string; body: string }>((db, p) =>
  db
    .insertInto("definitions")
    .values({ hash: p("hash"), body: p("body") })
    .onConflict((c) => c.column("hash").doNothing()),
);
