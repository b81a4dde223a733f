// The doctor. Owns: what is installed, what is missing, and how to get it.

import { execFile } from "node:child_process";
import { agents, examineTelemetry } from "../../app.ts";
import type { DoctorDocument, ExecutorRow } from "../../contracts/machine-documents.ts";
import { counted } from "../../domain/counted.ts";
import { AppError } from "../../domain/error.ts";
import { guide } from "../../system/package-root.ts";
import { isPostgres } from "../../system/store-address.ts";
import { assertReachable } from "../../workspaces/clones/clone.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import type { Application } from "../application.ts";
import { serviceHere } from "../driving/hand-over.ts";
import { executors } from "./executors.ts";

type Finding = DoctorDocument["findings"][number];

export async function examine(app: Application): Promise<DoctorDocument> {
  const findings = [
    nodeFinding(),
    ...(await programFindings(app)),
    await repositoryFinding(app),
    await storeFinding(app),
    ...(await originFindings(app)),
    serviceFinding(app),
    ...(await closingFindings(app)),
    ...(await telemetryFindings(app)),
    ...(await executorFindings(app)),
  ];
  return { ok: findings.every(({ needed, ok }) => ok || !needed), findings };
}

function nodeFinding(): Finding {
  const detail = `${process.version}, SQLite ${process.versions.sqlite}`;
  return { name: "node", needed: true, ok: true, detail, hint: "" };
}

async function programFindings(app: Application): Promise<readonly Finding[]> {
  return await Promise.all([
    gitFinding(app),
    programFinding(
      app,
      "gh",
      false,
      "with GitHub's `gh` the pr step opens a pull request; without it, it leaves a branch and a description",
    ),
  ]);
}

async function gitFinding(app: Application): Promise<Finding> {
  return await programFinding(app, "git", true, "install git 2.34 or newer (https://git-scm.com)");
}

/** Before a process takes the steps of others: without git, it would only fail them. */
export async function assertGit(app: Application): Promise<void> {
  const { ok, hint } = await gitFinding(app);
  if (!ok)
    throw new AppError("GIT_MISSING", "git could not be started", {
      hint: `${hint}, and make sure that it is on PATH`,
    });
}

/** The service asks, too: it must not stand still while a program answers. */
async function programFinding(
  { cwd, env }: Application,
  name: string,
  needed: boolean,
  hint: string,
): Promise<Finding> {
  const version = await new Promise<string | null>((resolve) => {
    execFile(name, ["--version"], { cwd, env, encoding: "utf8", timeout: 10_000 }, (error, stdout) =>
      resolve(error === null ? (stdout.split("\n", 1)[0]?.trim() ?? "") : null),
    );
  });
  return { name, needed, ok: version !== null, detail: version ?? "not found", hint };
}

/** Whether a run could work on the repository of the current directory. */
async function repositoryFinding({ cwd }: Application): Promise<Finding> {
  const finding = { name: "repository", needed: false };
  try {
    const { root, branch, head } = await inspectRepository(cwd);
    const where = `${root}${branch ? `, branch ${branch}` : ""}`;
    const detail = head === null ? `${where}, no commits yet` : where;
    return { ...finding, ok: head !== null, detail, hint: "make a first commit" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint = "runs need a git repository: change to one, or name it with --repo";
    return { ...finding, ok: false, detail: "none here", hint };
  }
}

async function storeFinding(app: Application): Promise<Finding> {
  const finding = { name: "store", needed: true };
  try {
    const { store, machines } = (await app.read()).parts;
    const [newest] = await store.listRuns({ statuses: null, limit: 1 });
    const host = machines?.isGuest === true ? (await machines.live()).find(({ isHost }) => isHost) : undefined;
    const server = app.storeLabel !== null && isPostgres(app.storeLabel) ? `${app.storeLabel}, home ` : "";
    const guest = host === undefined ? "" : `, a guest of ${host.dir} on ${host.host}`;
    const detail = `${server}${app.home.dir}${guest}${newest === undefined ? ", empty" : ""}`;
    return { ...finding, ok: true, detail, hint: "" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...finding, ok: false, detail: error.message, hint: error.hint };
  }
}

/** Of a guest: whether the repositories of its configuration can be read from here. */
async function originFindings(app: Application): Promise<readonly Finding[]> {
  const config = await app.configuration(app.home.dir).catch(() => null);
  const origins = Object.entries(config?.worker.repositories ?? {});
  return await Promise.all(
    origins.map(async ([path, origin]) => {
      const finding = { name: `repository ${path}`, needed: true };
      try {
        await assertReachable(origin, app.home.dir);
        return { ...finding, ok: true, detail: "can be read from here", hint: "" };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { ...finding, ok: false, detail: error.message, hint: error.hint };
      }
    }),
  );
}

function serviceFinding(app: Application): Finding {
  const service = serviceHere(app);
  const hint = "`pawl up --background` drives every open run, without a terminal";
  if (service === null) return { name: "service", needed: false, ok: false, detail: "none runs", hint };
  const { url, pid, version, troubles } = service;
  const paused = Object.keys(troubles).length;
  const runs = paused === 0 ? "" : `; ${counted(paused, "run")} cannot be driven (\`pawl runs\`, \`pawl why RUN\`)`;
  return {
    name: "service",
    needed: false,
    ok: true,
    detail: `${version}, ${url ?? "starting"}, process ${pid}${runs}`,
    hint: "",
  };
}

/** Runs that are over and whose trees, refs or files could not be put away. */
async function closingFindings(app: Application): Promise<readonly Finding[]> {
  try {
    const { store, machines } = (await app.read()).parts;
    // Another machine closes them.
    if (machines?.isGuest === true) return [];
    const failed = await store.failedClosings(null);
    return await Promise.all(
      failed.map(async ({ run, why }) => {
        const name = `run #${(await store.runById(run))?.number ?? run}`;
        const hint = "every command of Pawl tries it again, once what is in the way is gone";
        return { name, needed: false, ok: false, detail: `could not be closed: ${why}`, hint };
      }),
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The finding about the store says so already.
    return [];
  }
}

async function telemetryFindings(app: Application): Promise<readonly Finding[]> {
  try {
    const { telemetry } = await app.configuration(app.cwd);
    return [{ name: "telemetry", needed: false, ...(await examineTelemetry(app.env, telemetry)) }];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The finding about the configuration says so.
    return [];
  }
}

async function executorFindings(app: Application): Promise<readonly Finding[]> {
  try {
    const rows = await executors(app);
    if (rows.length > 0) return rows.map(executorFinding);
    const hint = `install an agent (${agents.kinds.join(", ")}), or give a program with --executor 'command: PROGRAM' (${guide("run-with-your-own-agent")})`;
    return [{ name: "executor", needed: false, ok: false, detail: "no agent was found, none is configured", hint }];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The finding about the store says so already.
    if (error.code.startsWith("STORE_")) return [];
    return [{ name: "configuration", needed: true, ok: false, detail: error.message, hint: error.hint }];
  }
}

function executorFinding(row: ExecutorRow): Finding {
  const detail = row.installed ? detailOf(row) : row.problem;
  return { name: `executor ${row.name}`, needed: false, ok: row.installed, detail, hint: row.hint };
}

/** `2.1.325, default`, or `KIND 0.166.0` where the name is not the agent's. */
function detailOf({ name, kind, version, sandbox, isDefault }: ExecutorRow): string {
  const words = name === kind ? [version ?? kind] : [kind, version ?? ""];
  const inside = sandbox === "none" ? "" : `, ${sandbox}`;
  return `${words.join(" ").trim()}${inside}${isDefault ? ", default" : ""}`;
}
