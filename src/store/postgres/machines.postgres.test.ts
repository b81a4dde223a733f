import { expect, onTestFinished, test } from "vitest";
import { onPostgres, owner, postgresAddress } from "../../../test/support/postgres.ts";
import { systemClock } from "../../system/clock.ts";
import { openPostgres } from "./open.ts";
import type { StoreVisitor } from "./owner.ts";

onPostgres();

async function machineAt(address: string, visitor: StoreVisitor) {
  const { store, machines } = await openPostgres(address, systemClock, visitor);
  onTestFinished(() => store.close());
  return machines;
}

const guest = { ...owner, id: "0123456789abcdef", joins: true };

test("[WK61] a machine lives as long as one of its workers: one that leaves takes only its own labels along", async () => {
  const address = postgresAddress();
  const host = await machineAt(address, owner);
  const first = await machineAt(address, guest);
  const second = await machineAt(address, guest);
  await first.tellAlive("first", ["linux", "gpu"]);
  await second.tellAlive("second", ["linux"]);
  const shown = async () =>
    (await host.live()).map(({ isHost, workers, silentMs }) => [isHost, workers, silentMs !== null]);
  expect(await shown()).toEqual([
    [true, [], false],
    [false, [["linux", "gpu"], ["linux"]], true],
  ]);
  await first.leave("first");
  expect(await shown()).toEqual([
    [true, [], false],
    [false, [["linux"]], true],
  ]);
  await second.leave("second");
  expect(await shown()).toEqual([[true, [], false]]);
});

test("[WK59] a guest has a name of its own, whatever its host name is; the host is known by its host name", async () => {
  const address = postgresAddress();
  const host = await machineAt(address, owner);
  const machine = await machineAt(address, guest);
  const other = await machineAt(address, { ...guest, id: "fedcba9876543210" });
  expect([host.name, machine.name, other.name]).toEqual(["here", "here.01234567", "here.fedcba98"]);
  await machine.tellAlive("worker", []);
  expect((await host.live()).map(({ host: name }) => name)).toEqual(["here", "here.01234567"]);
});
