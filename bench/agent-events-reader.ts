// The reading process of agent-events.ts. It makes a stream as Claude Code prints it, reads it repeatedly with the product and by
// hand, and measures the speed and the growth of the process. By hand means the obvious way: readline, and each line parsed.

import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { claudeReader } from "../src/executors/claude/reader.ts";
import { agentStream } from "../src/executors/stream/agent-stream.ts";
import type { EventsRead } from "./agent-events.ts";
import { alternate, medianOf } from "./measure.ts";

const [megabytes = "100", rounds = "5", kind = "whole"] = process.argv.slice(2);
const chunkBytes = 64 * 1024; // as a pipe gives them
const chunks = chunksOf(session(kind === "partial"));
const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
const passes = Math.ceil((Number(megabytes) * 1e6) / bytes);

let seen = 0;
function read(times: number): void {
  const stream = agentStream(claudeReader(Date.now), () => (seen += 1));
  for (let pass = 0; pass < times; pass += 1) for (const chunk of chunks) stream.write(chunk);
  const reading = stream.end({ code: 0 });
  if (!reading.ok || reading.text !== "STATUS: done") throw new Error(`it was read as ${JSON.stringify(reading)}`);
}

async function readByHand(times: number): Promise<void> {
  const input = new PassThrough({ highWaterMark: 1024 * 1024 });
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => {
    const event = JSON.parse(line) as { readonly type: string };
    if (event.type === "result") seen += 1;
  });
  const over = new Promise((resolve) => lines.once("close", resolve));
  for (let pass = 0; pass < times; pass += 1)
    for (const chunk of chunks) if (!input.write(chunk)) await new Promise((resolve) => input.once("drain", resolve));
  input.end();
  await over;
}

const rssMb = () => process.memoryUsage.rss() / 1e6;
read(passes); // warms up: afterwards all code is compiled
const beforeMb = rssMb();
let mostMb = beforeMb;
const stream = agentStream(claudeReader(Date.now), () => undefined);
for (let pass = 0; pass < 5 * passes; pass += 1) {
  for (const chunk of chunks) stream.write(chunk);
  mostMb = Math.max(mostMb, rssMb());
}
stream.end({ code: 0 });

const byHandPasses = Math.max(1, Math.ceil(passes / 4));
const { product, byHand } = await alternate(
  {
    product: (time) => time(() => read(passes)),
    byHand: (time) => time(() => readByHand(byHandPasses)),
  },
  { warmUp: 1, counted: Number(rounds) },
);

const mbPerSecond = (times: number, ms: number) => (times * bytes) / 1e6 / (ms / 1000);
console.log(
  JSON.stringify({
    mbPerSecond: mbPerSecond(passes, medianOf(product, "wallMs")),
    mbPerCpuSecond: mbPerSecond(passes, medianOf(product, "cpuMs")),
    byHandMbPerSecond: mbPerSecond(byHandPasses, medianOf(byHand, "wallMs")),
    grownMb: mostMb - beforeMb,
    readMb: (5 * passes * bytes) / 1e6,
  } satisfies EventsRead),
);

/** A long session of an agent: it reads files, edits them, runs tests, and talks in between. */
function session(isPartial: boolean): string {
  const id = { session_id: "4264c497-c103-4418-a45c-d7438ef2fb04", uuid: "97f71061-c99f-4be9-b7f9-2dce5c0e610b" };
  const lines: object[] = [
    { type: "system", subtype: "init", cwd: "/home/dev/project", ...id, tools: ["Bash", "Edit", "Read", "Write"] },
  ];
  const message = (content: object) => ({
    id: "msg_mwial9po00002r",
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [content],
    stop_reason: null,
    usage: { input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 5000, output_tokens: 1 },
  });
  const common = { parent_tool_use_id: null, ...id, timestamp: "2026-11-15T20:33:44.562Z" };
  const calls = (name: string, input: object) => {
    if (isPartial) for (const delta of piecesOf(JSON.stringify(input))) lines.push(piece("input_json_delta", delta));
    lines.push({ type: "assistant", message: message({ type: "tool_use", id: "toolu_1", name, input }), ...common });
  };
  const gets = (content: string) =>
    lines.push({
      type: "user",
      message: { role: "user", content: [{ tool_use_id: "toolu_1", type: "tool_result", content, is_error: false }] },
      ...common,
      tool_use_result: { stdout: content, stderr: "", interrupted: false, isImage: false },
    });
  const says = (text: string) => {
    if (isPartial) for (const delta of piecesOf(text)) lines.push(piece("text_delta", delta));
    lines.push({ type: "assistant", message: message({ type: "text", text }), ...common });
  };
  const piece = (type: string, text: string) => ({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type, text } },
    ...id,
    parent_tool_use_id: null,
  });

  for (let turn = 0; turn < 200; turn += 1) {
    says(`Now I look at the ${turn}th file, and see what calls it. ${"It is not clear yet why. ".repeat(turn % 20)}`);
    calls("Read", { file_path: `/home/dev/project/src/file-${turn}.ts` });
    gets(sourceOf(20 + ((turn * 37) % 300)));
    calls("Edit", {
      file_path: `/home/dev/project/src/file-${turn}.ts`,
      old_string: sourceOf(8),
      new_string: sourceOf(30),
    });
    gets("The file has been updated.");
    calls("Bash", { command: "npm test", description: "run the tests" });
    gets(`${"✓ src/file.test.ts > a test with some name 12ms\n".repeat((turn * 13) % 80)}all green\n`);
  }
  says("STATUS: done");
  lines.push({ type: "result", subtype: "success", is_error: false, result: "STATUS: done", ...id, usage: {} });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function sourceOf(lines: number): string {
  return `  const value = read(input, { depth: 3, name: "some name" }); // because it may be missing\n`.repeat(lines);
}

function piecesOf(text: string): readonly string[] {
  return text.match(/[^]{1,24}/g) ?? [];
}

function chunksOf(text: string): readonly Buffer[] {
  const whole = Buffer.from(text);
  const count = Math.ceil(whole.length / chunkBytes);
  return Array.from({ length: count }, (_, index) => whole.subarray(index * chunkBytes, (index + 1) * chunkBytes));
}
