// `pawl doctor`. Owns: what is installed, what is missing, and how to get it.

import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { agents } from "../../app.ts";
import { AppError, exitCodes } from "../../domain/error.ts";
import { findHome } from "../../system/home.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { describeExecutors, type ExecutorRow } from "../executor-rows.ts";
import { withSession } from "../session.ts";
import { table } from "../table.ts";

interface Finding {
  readonly name: string;
  readonly needed: boolean;
  readonly ok: boolean;
  readonly detail: string;
  readonly hint: string;
}

export function define(program: Command, console: Console): void {
  program
    .command("doctor")
    .description("what is installed, what is missing, and how to get it")
    .addHelpText("after", example("pawl doctor"))
    .action(async (options: { store?: string }) => {
      const findings = [
        nodeFinding(),
        ...programFindings(),
        await repositoryFinding(),
        await storeFinding(options.store),
        ...(await executorFindings(options.store)),
      ];
      const broken = findings.filter((finding) => finding.needed && !finding.ok);
      console.exitCode = broken.length > 0 ? exitCodes.missing : exitCodes.done;
      if (console.json) return console.document({ ok: broken.length === 0, findings });
      console.print(table(findings.map((finding) => [sign(finding), finding.name, finding.detail])));
      for (const finding of findings) if (!finding.ok) console.say(`hint: ${finding.name}: ${finding.hint}`);
      if (broken.length === 0) console.say("Everything that is needed is there.");
    });
}

function sign(finding: Finding): string {
  return finding.ok ? "ok" : finding.needed ? "MISSING" : "optional";
}

function nodeFinding(): Finding {
  return {
    name: "node",
    needed: true,
    ok: true,
    detail: `${process.version}, SQLite ${process.versions.sqlite}`,
    hint: "",
  };
}

function programFindings(): readonly Finding[] {
  return [
    program("git", true, "install git 2.34 or newer (https://git-scm.com)"),
    program(
      "gh",
      false,
      "with GitHub's `gh` the pr step opens a pull request; without it, it leaves a branch and a description",
    ),
  ];
}

function program(name: string, needed: boolean, hint: string): Finding {
  const { status, stdout } = spawnSync(name, ["--version"], { encoding: "utf8", timeout: 10_000 });
  const version = stdout?.split("\n", 1)[0]?.trim() ?? "";
  return { name, needed, ok: status === 0, detail: status === 0 ? version : "not found", hint };
}

/** Whether a run could work on the repository that one stands in. */
async function repositoryFinding(): Promise<Finding> {
  const finding = { name: "repository", needed: false };
  try {
    const facts = await inspectRepository(process.cwd());
    const detail = `${facts.root}${facts.branch ? `, branch ${facts.branch}` : ""}`;
    return {
      ...finding,
      ok: facts.head !== null,
      detail: facts.head ? detail : `${detail}, no commits yet`,
      hint: "make a first commit",
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      ...finding,
      ok: false,
      detail: "none here",
      hint: "runs need a git repository: change to one, or name it with --repo",
    };
  }
}

async function storeFinding(store: string | undefined): Promise<Finding> {
  const { dir } = findHome(process.env);
  try {
    const runs = await withSession(
      { store },
      async ({ parts }) => (await parts.store.listRuns({ statuses: null, limit: 1 })).length,
    );
    return { name: "store", needed: true, ok: true, detail: `${dir}${runs === 0 ? ", empty" : ""}`, hint: "" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { name: "store", needed: true, ok: false, detail: error.message, hint: error.hint };
  }
}

/** `2.1.325, default`, or `KIND 0.166.0` where the name does not say what it is. */
function detailOf({ name, kind, version, sandbox, isDefault }: ExecutorRow): string {
  const parts = name === kind ? [version ?? kind] : [kind, version ?? ""];
  const inside = sandbox === "none" ? "" : `, ${sandbox}`;
  return `${parts.join(" ").trim()}${inside}${isDefault ? ", default" : ""}`;
}

async function executorFindings(store: string | undefined): Promise<readonly Finding[]> {
  try {
    const rows = await withSession({ store, repo: process.cwd() }, describeExecutors);
    if (rows.length === 0) {
      const hint = `install an agent (${agents.kinds.join(", ")}), or give a program with --executor 'command: PROGRAM' (docs/guides/run-with-your-own-agent.md)`;
      return [{ name: "executor", needed: false, ok: false, detail: "no agent was found, none is configured", hint }];
    }
    return rows.map((row) => ({
      name: `executor ${row.name}`,
      needed: false,
      ok: row.installed,
      detail: row.installed ? detailOf(row) : row.problem,
      hint: row.hint,
    }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ name: "configuration", needed: true, ok: false, detail: error.message, hint: error.hint }];
  }
}
