import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { bytesOf, transcripts } from "../../../test/support/transcripts.ts";
import { claudeReader } from "../claude/reader.ts";
import { agentStream } from "./agent-stream.ts";
import { jsonLines, longestLine } from "./json-lines.ts";

function objectsIn(chunks: Iterable<Uint8Array>, noise: readonly string[] = []) {
  const objects: object[] = [];
  const lines = jsonLines({ onObject: (value) => objects.push(value), noise });
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  return { objects, tooLong: lines.tooLong() };
}

const text = (...parts: readonly string[]) => parts.map((part) => Buffer.from(part));

test("[EX27] the same objects come out wherever the bytes are cut into chunks, inside of a character too", () => {
  const values = [{ a: "größer 🎉" }, { b: [1, { c: null }] }, {}, { d: "x".repeat(300) }];
  const bytes = bytesOf(values);
  for (let size = 1; size < bytes.length; size += 1) {
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    expect(objectsIn(chunks).objects).toEqual(values);
  }
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      expect(objectsIn(chunks).objects).toEqual(values);
    }),
  );
});

test("[EX19] what is no JSON object is left out: banners, blank lines, lists, halves", () => {
  const printed = text(
    '\n    __( O)>  ● new session\n\r\n[1]\n42\nnull\n"text"\n{half\n{} {}\n \t{"a":1} \r\n\uFEFF{"b":2}\n{"c":',
  );
  expect(objectsIn(printed).objects).toEqual([{ a: 1 }, { b: 2 }]);
});

test("[EX27] what comes behind the last newline is read if it is whole", () => {
  expect(objectsIn(text('{"a":1}\n{"b', '":2}')).objects).toEqual([{ a: 1 }, { b: 2 }]);
  expect(objectsIn(text('{"a":1}\n{"b":')).objects).toEqual([{ a: 1 }]);
  expect(objectsIn([]).objects).toEqual([]);
});

test("[EX27] a line of more than 8 MiB is counted and not read, and the next ones are", () => {
  const megabyte = Buffer.alloc(1024 * 1024, "x");
  const chunks = [
    ...text('{"a":1}\n{"long":"'),
    ...Array.from({ length: 9 }, () => megabyte),
    ...text('"}\n{"b":2}\n'),
  ];
  expect(objectsIn(chunks)).toEqual({ objects: [{ a: 1 }, { b: 2 }], tooLong: 1 });
  expect(objectsIn([Buffer.concat(chunks)])).toEqual({ objects: [{ a: 1 }, { b: 2 }], tooLong: 1 });
  const largest = JSON.stringify({ a: "y".repeat(longestLine - '{"a":""}'.length) });
  expect(objectsIn(text(`${largest}\n`)).objects).toHaveLength(1);
  expect(objectsIn(text(largest.slice(0, 999), largest.slice(999), "\n"))).toMatchObject({ tooLong: 0 });
  expect(objectsIn(text(`${largest} \n`))).toEqual({ objects: [], tooLong: 1 });
});

test("[EX27] the end of a line that was too long is no line, even if it looks like one", () => {
  const chunks = [...text('{"long":"'), Buffer.alloc(longestLine, "x"), ...text('{"type":"result"}\n{"b"', ":2}\n")];
  expect(objectsIn(chunks)).toEqual({ objects: [{ b: 2 }], tooLong: 1 });
  expect(objectsIn([...chunks.slice(0, 2), ...text("xx")])).toEqual({ objects: [], tooLong: 1 });
});

test("[EX27] a reading that misses its last event says that a line was too long for it", () => {
  const stream = agentStream(claudeReader(Date.now), () => undefined);
  stream.write(bytesOf([{ type: "result", is_error: false, result: "z".repeat(longestLine) }]));
  const reading = stream.end({ code: 0 });
  expect(reading).toMatchObject({ ok: false, kind: "no_result", message: expect.stringContaining("8 MiB") });
});

test("[EX27] lines that nobody wants are not parsed, wherever they begin", () => {
  const parse = vi.spyOn(JSON, "parse");
  try {
    const noise = ['{"type":"stream_event"'];
    const printed = text(
      '{"type":"stream_event","n":1}\n{"type":"str',
      'eam_event","n":2}\n{"type":"stream_events"}\n{"t":1}',
    );
    expect(objectsIn(printed, noise).objects).toEqual([{ type: "stream_events" }, { t: 1 }]);
    expect(parse).toHaveBeenCalledTimes(2);
  } finally {
    parse.mockRestore();
  }
});

test("[EX27] whoever writes a chunk may use its memory again", () => {
  const objects: object[] = [];
  const lines = jsonLines({ onObject: (value) => objects.push(value) });
  const chunk = Buffer.alloc(4);
  for (const part of ['{"a"', ':"b"', "}\n{}"]) {
    chunk.fill(" ");
    chunk.write(part);
    lines.write(chunk);
  }
  lines.end();
  expect(objects).toEqual([{ a: "b" }, {}]);
});

test("[EX27] half a gigabyte on one line, and a hundred thousand lines after it, take no memory", () => {
  const stream = agentStream(claudeReader(Date.now), () => undefined);
  const chunk = Buffer.alloc(64 * 1024, "[{");
  const some = bytesOf(transcripts["claude"] ?? []);
  const before = process.memoryUsage.rss();
  let most = before;
  for (let index = 0; index < 8_000; index += 1) stream.write(chunk);
  most = Math.max(most, process.memoryUsage.rss());
  stream.write(Buffer.from("\n"));
  for (let index = 0; index < 16_000; index += 1) stream.write(some);
  most = Math.max(most, process.memoryUsage.rss());
  expect(stream.end({ code: 0 })).toMatchObject({ ok: true, text: "STATUS: done" });
  expect((most - before) / 1e6).toBeLessThan(150);
});
