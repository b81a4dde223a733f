// Playing agents for tests: a site whose PATH has Claude Code, Codex, OpenCode and an agent over ACP. All are stub programs
// (playing-agent.ts) that are called, prompted and read as the real ones are, and do real work.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { attemptMarker } from "../../src/executors/executor.ts";
import { type Part, type Played, partFile, playedFile, type VoiceName } from "./agent-part.ts";
import { type Called, type CallOptions, newSite, pawl, type RunningPawl, type Site, startPawl } from "./pawl.ts";
import { programLine } from "./program-words.ts";
import { writeFiles } from "./repository.ts";

const program = programLine("playing-agent.ts");

const versions: Readonly<Record<VoiceName, string>> = {
  claude: "2.1.325 (Claude Code)",
  codex: "codex-cli 0.166.0",
  opencode: "1.18.33",
  acp: "9.9.9",
};

export interface PlayingSite extends Pick<Site, "home" | "repo"> {
  pawl(...args: readonly string[]): Promise<Called>;
  start(...args: readonly string[]): RunningPawl;
  /** A file beside the repository. */
  write(name: string, text: string): string;
  /** What the agents recorded, in order. */
  played(): readonly Played[];
  /** Processes of attempts that still run, found by their marker and by the home in their environment. */
  left(): readonly string[];
}

/** `config` adds to the configuration of the agent over ACP, which is a command line. */
export function playingSite(part: Part, config: object = {}): PlayingSite {
  const site = newSite();
  // A failed test may have left some running.
  onTestFinished(() => {
    for (const { pid } of attemptsOf(site.home)) killIfThere(pid);
  });
  const dir = site.path("agents");
  mkdirSync(dir);
  for (const [name, version] of Object.entries(versions)) writeProgram(dir, name, version);
  writeFiles(dir, { [partFile]: JSON.stringify(part) });
  const executors = { "over-acp": { kind: "acp", command: ["acp"] } };
  // JSON is YAML.
  writeFiles(site.home, { "config.yml": JSON.stringify({ executors, ...config }) });
  const place: CallOptions = { home: site.home, cwd: site.repo, env: { PATH: `${dir}:/usr/bin:/bin` } };
  return {
    home: site.home,
    repo: site.repo,
    pawl: (...args) => pawl(args, place),
    start: (...args) => startPawl(args, place),
    write(name, text) {
      writeFiles(site.path(), { [name]: text });
      return site.path(name);
    },
    played: () => linesOf(join(dir, playedFile)).map((line) => JSON.parse(line) as Played),
    left: () => attemptsOf(site.home).map(({ command }) => command),
  };
}

/** For speed, a shell answers `--version`. */
function writeProgram(dir: string, name: string, version: string): void {
  const file = join(dir, name);
  const play = `exec ${program} '${dir}' ${name} "$@"`;
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo '${version}'; exit 0; fi\n${play}\n`);
  chmodSync(file, 0o755);
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

function attemptsOf(home: string): readonly { readonly pid: number; readonly command: string }[] {
  const pids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  const carries = (pid: string) => {
    const variables = readProc(pid, "environ").split("\0");
    return variables.includes(`HOME=${home}`) && variables.some((one) => one.startsWith(`${attemptMarker}=`));
  };
  const commandOf = (pid: string) => readProc(pid, "cmdline").replaceAll("\0", " ").trim();
  return pids.filter(carries).map((pid) => ({ pid: Number(pid), command: commandOf(pid) }));
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
