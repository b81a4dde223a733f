// Two processes of the host that receive the same logs.

import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { onPostgres, owner, postgresAddress } from "../../../test/support/postgres.ts";
import { makeWorld } from "../../../test/support/world.ts";
import { openPostgres } from "../../store/postgres/open.ts";
import { systemClock } from "../../system/clock.ts";
import { openLogToRead } from "../attempt/logs.ts";
import { receiveLastLogs, receiveLogs } from "./received-logs.ts";

onPostgres();

/** A run with an attempt whose log is on its way, as the host sees it by two connections. */
async function twoReceivers() {
  const world = await makeWorld();
  const run = await world.begin();
  await world.drive(run);
  const attempt = (await world.run(run)).header.attempts[0];
  if (attempt === undefined) throw new Error("nothing was attempted");
  const address = postgresAddress();
  const open = async () => {
    const { store, machines, server } = await openPostgres(address, systemClock, owner);
    onTestFinished(() => store.close());
    return { ...world.parts, machines, server };
  };
  const [one, other] = [await open(), await open()];
  const send = async (line: string) =>
    await one.server.query("insert into log_parts (run_id, attempt_id, kind, bytes) values ($1, $2, 'output', $3)", [
      run,
      attempt.id,
      Buffer.from(`${line}\n`),
    ]);
  const lines = async () => {
    const { header } = await world.run(run);
    const handle = openLogToRead(world.parts, header, attempt);
    return handle === null
      ? []
      : readFileSync(handle, "utf8")
          .split("\n")
          .filter((line) => line.startsWith("sent"));
  };
  return { run, one, other, send, lines };
}

test("[WK82] the driver and the closer of a run receive its logs at once: each line is written once", async () => {
  const { run, one, other, send, lines } = await twoReceivers();
  await send("sent first");
  await send("sent second");
  const seen = Promise.withResolvers<void>();
  const closing: Promise<void>[] = [];
  const [drop, look] = [one.machines.dropLogs.bind(one.machines), other.machines.logsOf.bind(other.machines)];
  one.machines.dropLogs = async (logs) => {
    if (closing.length === 0) closing.push(receiveLastLogs(other, run));
    await seen.promise;
    // The other one goes as far as it can.
    for (let round = 0; round < 50; round += 1) await look(run);
    await drop(logs);
  };
  other.machines.logsOf = async (of) => {
    const logs = await look(of);
    seen.resolve();
    return logs;
  };
  await receiveLogs(one, run);
  await Promise.all(closing);
  expect(await lines()).toEqual(["sent first", "sent second"]);
});
