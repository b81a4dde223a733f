// Installs the programs of real agents once, in fixed versions from the npm registry, into a cache outside the repository. site.ts
// configures and starts them.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const agents = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.325" },
  codex: { package: "@openai/codex", version: "0.166.0" },
  opencode: { package: "opencode-ai", version: "1.18.33" },
} as const;

export type RealAgent = keyof typeof agents;

/** The Node of this repository: with an older one, npm silently installs older agents. */
const programs = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

/** Vitest calls this once, before the first test. */
export function setup(): void {
  for (const agent of Object.keys(agents) as RealAgent[]) install(agent);
}

/** The directory of its program. */
export function programsOf(agent: RealAgent): string {
  return join(placeOf(agent), "node_modules/.bin");
}

/** This repository's Node comes first: Codex and others start with the first one on PATH. */
export function pathWith(...given: readonly RealAgent[]): string {
  return [...given.map(programsOf), programs, process.env["PATH"] ?? "/usr/bin:/bin"].join(":");
}

export function cacheDir(): string {
  const { PAWL_TEST_CACHE, XDG_CACHE_HOME } = process.env;
  return PAWL_TEST_CACHE || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "pawl-test");
}

function placeOf(agent: RealAgent): string {
  return join(cacheDir(), "agents", `${agent}@${agents[agent].version}`);
}

/** Under another name until it is complete: an interrupted install must not look finished. */
function install(agent: RealAgent): void {
  const place = placeOf(agent);
  if (existsSync(place)) return;
  const spec = `${agents[agent].package}@${agents[agent].version}`;
  console.error(`installing ${spec} (some 400 MB) into ${place} …`);
  const started = Date.now();
  mkdirSync(dirname(place), { recursive: true });
  const half = mkdtempSync(`${place}.`);
  try {
    const env = { ...process.env, PATH: `${programs}:${process.env["PATH"] ?? ""}` };
    const npm = ["install", "--prefix", half, "--no-audit", "--no-fund", "--loglevel=error", spec];
    execFileSync("npm", npm, { cwd: half, env, stdio: ["ignore", 2, 2] });
    execFileSync(join(half, "node_modules/.bin", agent), ["--version"], { env, stdio: ["ignore", 2, 2] });
    renameSync(half, place);
  } catch (error) {
    // Another process was faster; its copy will do.
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  console.error(`installed ${spec} in ${Math.round((Date.now() - started) / 1000)} s`);
}
