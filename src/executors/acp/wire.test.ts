import type { AnyMessage } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { acpReader } from "./reader.ts";
import { openWire } from "./wire.ts";

const question = (id: number, method: string): Buffer =>
  Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: { sessionId: "s-1", path: "/w/a" } })}\n`);

/** A wire to an agent that reads its answers when it is told to, and what came through to the other side. */
function openedWire() {
  const writes: (() => void)[] = [];
  const wire = openWire(acpReader(Date.now), () => undefined);
  const { readable, writable } = wire.connect({
    write: () => new Promise<void>((resolve) => void writes.push(resolve)),
    close: () => undefined,
  });
  const heard: AnyMessage[] = [];
  void readable.pipeTo(new WritableStream({ write: (message) => void heard.push(message) }));
  const writer = writable.getWriter();
  return {
    ask: (id: number, method: string) => wire.write(question(id, method)),
    answer: (id: number) => void writer.write({ jsonrpc: "2.0", id, result: {} }),
    readOne: () => writes.shift()?.(),
    /** Everything that can come through has come through then. */
    async heardIds() {
      for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return heard.map((message) => ("id" in message ? message.id : null));
    },
  };
}

test("[EX94] of questions about files four are open at once; the rest wait until an answer is read, and come in order", async () => {
  const wire = openedWire();
  for (let id = 1; id <= 7; id += 1) wire.ask(id, id % 2 ? "fs/read_text_file" : "fs/write_text_file");
  wire.ask(8, "session/request_permission");
  expect(await wire.heardIds()).toEqual([1, 2, 3, 4, 8]);
  wire.answer(2);
  expect(await wire.heardIds()).toEqual([1, 2, 3, 4, 8]);
  wire.readOne();
  expect(await wire.heardIds()).toEqual([1, 2, 3, 4, 8, 5]);
  for (const id of [8, 1, 3]) wire.answer(id);
  for (const _ of [1, 2, 3]) {
    await wire.heardIds();
    wire.readOne();
  }
  expect(await wire.heardIds()).toEqual([1, 2, 3, 4, 8, 5, 6, 7]);
});

test("[EX94] a second question under an id that is not answered is not heard", async () => {
  const wire = openedWire();
  for (const _ of [1, 2, 3]) wire.ask(1, "fs/read_text_file");
  expect(await wire.heardIds()).toEqual([1]);
});
