// Every query on messages about open questions that have arrived. When a question ends, its messages go back into the outbox to be marked.

import type { Kysely } from "kysely";
import type { Gate } from "../../domain/gate.ts";
import type { GateId } from "../../domain/ids.ts";
import { readDocument } from "../document.ts";
import type { SentMessageRow, Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { StoredDelivery } from "../store.ts";
import { selectGate } from "./gates.ts";
import { deleteEffect, insertEffect } from "./outbox.ts";

type Deliver = StoredDelivery["effect"];

/** Ends a delivery whose message can be marked. Changes nothing if another process has ended it. */
export async function keepSent(
  db: Kysely<Tables>,
  { id, effect }: StoredDelivery,
  gate: GateId,
  receipt: string,
  at: number,
): Promise<void> {
  if (!(await deleteEffect(db, id))) return;
  const found = await selectGate(db, gate);
  if (found === null) return;
  // Answered while the message was on its way.
  if (found.gate.state.status !== "open") return await insertEffect(db, { ...effect, mark: receipt }, at);
  const { target, receiver = "", run } = effect;
  await db
    .insertInto("sent_messages")
    .values({ gate_id: gate, target, receiver, run_id: run, receipt, effect: JSON.stringify(effect) })
    .onConflict((conflict) => conflict.columns(["gate_id", "target", "receiver"]).doUpdateSet({ receipt }))
    .execute();
}

/** In the commit that ends the question. Returns how many messages are to be marked. */
export async function queueMarks(db: Kysely<Tables>, { id, state }: Gate, at: number): Promise<number> {
  if (state.status === "open") return 0;
  const rows = await ofGate.all(db, { gate: id });
  for (const { effect, receipt } of rows) {
    const sent = readDocument<Deliver>(effect, `message about gate ${id}`, ["type", "run", "target", "message"]);
    await insertEffect(db, { ...sent, mark: receipt }, at);
  }
  if (rows.length > 0) await remove.run(db, { gate: id });
  return rows.length;
}

const ofGate = statement<{ gate: string }, SentMessageRow>((db, p) =>
  db.selectFrom("sent_messages").selectAll().where("gate_id", "=", p("gate")).orderBy("target").orderBy("receiver"),
);

const remove = statement<{ gate: string }>((db, p) => db.deleteFrom("sent_messages").where("gate_id", "=", p("gate")));
