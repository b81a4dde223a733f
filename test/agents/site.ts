// Sites for real agents: the home of a person who has these agents and no other settings, a repository, the model server, and a list
// of the processes that are still running.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Usage } from "../../src/domain/attempt.ts";
import {
  type Called,
  type EventDocument,
  eventLines,
  expectCode,
  pawl,
  type RunningPawl,
  type StatusDocument,
  startPawl,
} from "../support/pawl.ts";
import { makeRepository, writeFiles } from "../support/repository.ts";
import { cacheDir, pathWith } from "./install.ts";
import type { ScriptedModel } from "./model/conversation.ts";
import { type ModelServer, openModel } from "./model/server.ts";
import type { Player } from "./players.ts";

// A real agent takes seconds to start, and much longer on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

export interface AgentSite {
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  readonly model: ModelServer;
  pawl(...args: readonly string[]): Promise<Called>;
  start(...args: readonly string[]): RunningPawl;
  status(): Promise<StatusDocument>;
  events(): Promise<readonly EventDocument[]>;
  /** Processes of this site that are still running; after a run there should be none. */
  left(): readonly string[];
}

export interface SiteOptions {
  readonly model: ScriptedModel;
  /** Files of the repository. */
  readonly project?: Readonly<Record<string, string>>;
  /** Variables that log agents in; API keys by default. */
  readonly login?: Readonly<Record<string, string>>;
  /** Settings of every player in the configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Files in its home, besides those that point agents to the model. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function agentSite(players: readonly Player[], options: SiteOptions): Promise<AgentSite> {
  // Not in the system's temporary directory: a Codex whose home is there cannot run a command in its sandbox.
  mkdirSync(cacheDir(), { recursive: true });
  const dir = realpathSync(mkdtempSync(join(cacheDir(), "site-")));
  const model = await openModel(options.model);
  onTestFinished(async () => {
    // A failed test may have left some running.
    for (const { pid } of processesThatKnow(dir)) killIfThere(pid);
    await model.close();
    if (process.env["PAWL_TEST_KEEP"] === "1") console.error(`kept: ${dir}`);
    else rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const home = join(dir, "home");
  writeFiles(home, { ...settingsFor(model.url), "pawl/config.yml": configFor(players, options), ...options.files });
  const repo = makeRepository(options.project ?? { "README.md": "# a project\n" }, { dir: join(dir, "repo") });
  const path = pathWith(...players.map(({ agent }) => agent));
  const env = { ...placeOf(model.url), ...(options.login ?? apiKeys), PATH: path, PAWL_HOME: join(home, "pawl") };
  const place = { home, cwd: repo, env };
  const call = (...args: readonly string[]) => pawl(args, place);
  return {
    dir,
    home,
    repo,
    model,
    pawl: call,
    start: (...args) => startPawl(args, place),
    async status() {
      const called = await call("status", "1", "--json");
      expectCode(called, 0);
      return JSON.parse(called.stdout) as StatusDocument;
    },
    async events() {
      const { code, stdout } = await call("events", "1", "--json");
      // There are no events before the run is recorded.
      return code === 0 ? eventLines(stdout) : [];
    },
    left: () => processesThatKnow(dir).map(({ command }) => command),
  };
}

/** A workflow of one step, in a file beside the repository. */
export function oneStep(site: AgentSite, agent = "{}"): string {
  const text = `pawl: 1\nid: one\nagents: { dev: ${agent} }\nsteps: [{ id: work, agent: dev, expects: "STATUS: done", input: "Write the file." }]\n`;
  writeFiles(site.dir, { "one.yml": text });
  return join(site.dir, "one.yml");
}

/** How the attempts ended, in order. */
export async function endsOf(site: AgentSite): Promise<readonly EventDocument[]> {
  return (await site.events()).filter(({ type }) => type === "attempt_ended");
}

/** The usage of all attempts, including failed ones. */
export function usageIn(ends: readonly EventDocument[]): Required<Usage> {
  const sum = { costUsd: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, estimatedUsd: 0 };
  for (const { usage } of ends)
    for (const [key, value] of Object.entries((usage ?? {}) as Usage)) sum[key as keyof Usage] += value;
  return sum;
}

/** Writes JSON, which is valid YAML. */
function configFor(players: readonly Player[], { settings = {} }: SiteOptions): string {
  const given = players.map(({ name, settings: own }) => [name, { ...own, ...settings }] as const);
  const executors = given.filter(([, all]) => Object.keys(all).length > 0);
  return JSON.stringify({ executors: Object.fromEntries(executors) });
}

const apiKeys = { ANTHROPIC_API_KEY: "sk-ant-scripted", OPENAI_API_KEY: "sk-scripted" };

/** The login of a Claude subscription: only then does Claude Code report the limits. */
export const subscription = { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-scripted", OPENAI_API_KEY: "sk-scripted" };

/** Points Claude Code to the model; the other agents have it in their settings. */
function placeOf(url: string): Readonly<Record<string, string>> {
  return { ANTHROPIC_BASE_URL: url, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
}

function settingsFor(url: string): Readonly<Record<string, string>> {
  const model = { name: "scripted", tool_call: true, cost: { input: 2, output: 10, cache_read: 0.2 } };
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "scripted",
    options: { baseURL: `${url}/v1`, apiKey: "sk-scripted" },
    models: { model: { ...model, limit: { context: 200_000, output: 8_000 } } },
  };
  const chosen = { model: "scripted/model", small_model: "scripted/model" };
  return {
    ".config/opencode/opencode.json": JSON.stringify({ ...chosen, provider: { scripted: provider } }),
    ".codex/config.toml": `model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`,
  };
}

/** Found by their environment: everything that an agent starts inherits a home, a session or a directory of the site. */
function processesThatKnow(dir: string): readonly { readonly pid: number; readonly command: string }[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && readProc(name, "environ").includes(dir));
  return pids.map((pid) => ({ pid: Number(pid), command: readProc(pid, "cmdline").replaceAll("\0", " ").trim() }));
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return ""; // It has just ended, or belongs to another user.
  }
}
