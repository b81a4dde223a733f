// Messages about open questions as their targets have them, so that they can be marked; and the browsers that get web push.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up({ schema }: Kysely<never>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("sent_messages")
    .addColumn("gate_id", types.id, (c) => c.notNull())
    .addColumn("target", "text", (c) => c.notNull())
    .addColumn("receiver", "text", (c) => c.notNull())
    .addColumn("run_id", types.id, (c) => c.notNull())
    .addColumn("receipt", "text", (c) => c.notNull())
    .addColumn("effect", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("sent_messages_key", ["gate_id", "target", "receiver"])
    .execute();
  await schema.createIndex("sent_messages_by_run").on("sent_messages").column("run_id").execute();
  await schema
    .createTable("push_subscriptions")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("endpoint", "text", (c) => c.notNull())
    .addColumn("p256dh", "text", (c) => c.notNull())
    .addColumn("auth", "text", (c) => c.notNull())
    .addColumn("token", "text", (c) => c.notNull())
    .addColumn("created_at", types.integer, (c) => c.notNull())
    .execute();
}
