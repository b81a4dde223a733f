// Goose's way to Pawl's tools: a small program that Goose starts and that forwards each message to the attempt's address. Goose
// itself sends no headers, and an address with the token would be an argument, which every user of the machine can read.

import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bearer, mcpFile, mcpName } from "../agent/agent-profile.ts";
import type { McpAddress } from "../executor.ts";

/** Writes the program and its address into a directory that only its owner can read; returns the command that starts it. */
export function bridgeTo(mcp: McpAddress, scratch: string): readonly [string, ...string[]] {
  // Goose calls an extension as the file of its program is called.
  const node = join(scratch, mcpName);
  const script = join(scratch, "bridge.mjs");
  // A call that is launched again has the same directory.
  rmSync(node, { force: true });
  symlinkSync(process.execPath, node);
  writeFileSync(script, program, { mode: 0o600 });
  const address = mcpFile(scratch);
  writeFileSync(address, JSON.stringify({ url: mcp.url, headers: bearer(mcp) }), { mode: 0o600 });
  return [node, script, address];
}

// As text: it has to run where neither Pawl's sources nor its bundle may be visible. `node:http`, because `fetch` gives up on an
// answer that takes minutes, and a person may take as long.
const program = `import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createInterface } from "node:readline";

const { url, headers } = JSON.parse(readFileSync(process.argv[2], "utf8"));
let version = {};

const post = (body) =>
  new Promise((resolve, reject) => {
    const usual = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const sent = request(url, { method: "POST", headers: { ...usual, ...version, ...headers } }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    });
    sent.on("error", reject);
    sent.end(body);
  });

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const failed = (id, why) => ({ jsonrpc: "2.0", id, error: { code: -32000, message: why } });

const forward = async (line) => {
  const id = parsed(line)?.id;
  let answer;
  try {
    answer = parsed(await post(line));
  } catch (error) {
    answer = failed(id, "Pawl does not answer: " + (error.code ?? error.message));
  }
  if (id === undefined) return;
  if (answer?.jsonrpc !== "2.0") answer = failed(id, "Pawl refuses this: " + (answer?.error ?? "it gave no answer"));
  const named = answer.result?.protocolVersion;
  if (typeof named === "string") version = { "MCP-Protocol-Version": named };
  process.stdout.write(JSON.stringify(answer) + "\\n");
};

process.stdout.on("error", () => process.exit(0));
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const forwarding = forward(line);
  if (!line.includes('"tools/call"')) await forwarding;
}
`;
