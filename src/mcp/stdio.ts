// Stdio. Owns: the protocol over two pipes, one message a line. Nothing but messages is ever written.

import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Protocol } from "./protocol.ts";

const longestLine = 4 * 1024 * 1024;

/** Until the input ends and everything that came is answered. */
export async function serveStdio(protocol: Protocol, input: Readable, output: Writable): Promise<void> {
  const open = new Set<Promise<void>>();
  let isGone = false;
  let written: Promise<unknown> = Promise.resolve();
  // Whoever asked is gone: there is nobody to answer, and nothing to complain of.
  output.on("error", () => {
    isGone = true;
  });
  const answer = async (line: string) => {
    const { answer } = await protocol.answer(line);
    if (answer === null || isGone) return;
    written = written.then(() => write(output, `${JSON.stringify(answer)}\n`));
    await written;
  };
  for await (const line of linesOf(input)) {
    if (isGone) break;
    const answering: Promise<void> = answer(line).finally(() => open.delete(answering));
    open.add(answering);
    // What the first message agrees on holds for the second: only calls may take their time.
    if (!line.includes('"tools/call"')) await answering;
  }
  await Promise.all(open);
}

/** One after the other: whoever reads slowly is waited for once, not once for each answer. */
async function write(output: Writable, text: string): Promise<void> {
  if (!output.destroyed && !output.write(text)) await Promise.race([once(output, "drain"), once(output, "close")]);
}

/** A line that is too long is cut: it is no JSON any more, and is answered as such. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input as AsyncIterable<Buffer | string>) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = (lines.pop() ?? "").slice(0, longestLine);
    for (const line of lines) if (line.trim() !== "") yield line.slice(0, longestLine);
  }
  if (rest.trim() !== "") yield rest;
}
