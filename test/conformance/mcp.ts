// Runs the public conformance tests of MCP (`npm run test:mcp`). It installs the suite once, into a cache outside the repository, and
// runs the scenarios that concern what Pawl offers against a running attempt. docs/spec/mcp.md lists the others.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { openToolServer } from "../../src/mcp/attempts.ts";
import { Loopback } from "../../src/mcp/loopback.ts";
import { McpServer } from "../../src/mcp/mcp-server.ts";
import { tool } from "../../src/mcp/tool.ts";
import { deskFor } from "../support/desks.ts";
import { agent } from "../support/engine/workflow.ts";

const suite = { package: "@modelcontextprotocol/conformance", version: "0.1.16" };

/** Scenarios that run against an attempt as its agent sees it. */
const ofAttempts = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];
/** Scenarios that call the suite's own tools, which the same code offers. */
const ofTools = ["tools-call-simple-text", "tools-call-error"];
/** A scenario for something that Pawl does not offer. It must fail, or the suite tests nothing. */
const mustFail = "tools-call-image";

const ownTools = [
  tool({
    name: "test_simple_text",
    description: "Says something",
    input: z.object({}),
    work: () => ({ accepted: true, text: "This is a simple text response for testing." }),
  }),
  tool({
    name: "test_error_handling",
    description: "Fails",
    input: z.object({}),
    work: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
];

const program = join(install(), "node_modules", suite.package, "dist", "index.js");
const server = openToolServer();
const loopback = new Loopback();
try {
  const attempt = await server.open(deskFor(agent("work")).desk);
  const tools = await loopback.open("tools", { token: "t", server: new McpServer(ownTools, "") });
  const results = [
    ...ofAttempts.map((scenario) => play(scenario, `${attempt.url}/${attempt.token}`)),
    ...ofTools.map((scenario) => play(scenario, `${tools}/t`)),
  ];
  const seesNothing = await play(mustFail, `${tools}/t`, true);
  const failed = (await Promise.all(results)).filter((passed) => !passed).length;
  if (seesNothing) console.error(`${mustFail} passed, although Pawl does not offer it: the suite proves nothing`);
  console.log(`${results.length - failed} of ${results.length} scenarios passed`);
  process.exitCode = failed > 0 || seesNothing ? 1 : 0;
} finally {
  await server.close();
  await loopback.close();
}

/** In another process, while this one answers. */
async function play(scenario: string, url: string, quiet = false): Promise<boolean> {
  const child = spawn(process.execPath, [program, "server", "--url", url, "--scenario", scenario]);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (!quiet) console.log(`${code === 0 ? "passed" : "FAILED"}  ${scenario}`);
  if (!quiet && code !== 0) console.error(said);
  return code === 0;
}

/** Under another name until it is complete: an interrupted install must not look finished. */
function install(): string {
  const { XDG_CACHE_HOME } = process.env;
  const cache = join(XDG_CACHE_HOME || join(homedir(), ".cache"), "pawl-test");
  const place = join(cache, `mcp-conformance@${suite.version}`);
  if (existsSync(place)) return place;
  console.error(`installing ${suite.package}@${suite.version} into ${place} …`);
  mkdirSync(dirname(place), { recursive: true });
  const half = mkdtempSync(`${place}.`);
  try {
    const spec = `${suite.package}@${suite.version}`;
    execFileSync("npm", ["install", "--prefix", half, "--no-audit", "--no-fund", "--loglevel=error", spec], {
      cwd: half,
      stdio: ["ignore", 2, 2],
    });
    renameSync(half, place);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return place;
}
