// Workflows. Owns: the use cases of workflow files: list, show, check, simulate, install, uninstall. None of them opens a store.

import type { InstalledWorkflow, WorkflowCheck, WorkflowList } from "../../contracts/workflow-documents.ts";
import type { Definition } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { RunStatus } from "../../domain/run.ts";
import { actFor, readScript } from "../../executors/script.ts";
import { type Playbook, type SimulatedAnswer, simulate } from "../../runtime/runs/simulate.ts";
import { installWorkflow, uninstallWorkflow } from "../../runtime/runs/workflow-install.ts";
import {
  findWorkflow,
  listWorkflows,
  loadFile,
  missingRoleFiles,
  openWorkflow,
  shownPath,
} from "../../runtime/runs/workflow-library.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";

type Place = Pick<Application, "home" | "cwd" | "protocols">;

export function workflows({ home, protocols }: Place): WorkflowList {
  const found = listWorkflows(home).map(({ id, origin, file }) => {
    const { definition } = loadFile(home, file, protocols);
    const steps = definition?.steps.map((step) => step.name) ?? [];
    return { id, origin, title: definition?.title ?? "(cannot be loaded)", steps };
  });
  return { workflows: found };
}

/** For a caller that may name installed and bundled workflows, and no paths. */
export function assertListed({ home }: Place, id: string): void {
  const known = listWorkflows(home).map((entry) => entry.id);
  if (known.includes(id)) return;
  throw new AppError("NOT_FOUND", `there is no workflow "${id}"`, {
    hint: `${didYouMean(id, known)}there are: ${known.join(", ")}; \`pawl workflow install PATH\` adds one`,
  });
}

export interface WorkflowView {
  readonly file: string;
  readonly origin: "bundled" | "installed" | "path";
  readonly definition: Definition;
}

/** `name`: an id or a path. */
export function workflow({ home, cwd, protocols }: Place, name: string): WorkflowView {
  const { definition, file, origin } = openWorkflow(home, name, protocols, cwd);
  return { file, origin, definition };
}

export interface CheckedWorkflow {
  readonly document: WorkflowCheck;
  /** The file, as a person would type it. */
  readonly shown: string;
  /** Role files that the workflow names and that are not there. */
  readonly missing: readonly string[];
}

/** Every problem of a workflow file. */
export function checkWorkflow({ home, cwd, protocols }: Place, name: string): CheckedWorkflow {
  const { file } = findWorkflow(home, name, cwd);
  const { definition, problems, notes, roleFile } = loadFile(home, file, protocols, { plans: true });
  const missing = definition ? missingRoleFiles(definition, roleFile) : [];
  return { document: { file, ok: definition !== null, problems, notes }, shown: shownPath(file, cwd), missing };
}

export interface Simulated {
  readonly status: RunStatus;
  /** The step for which the script has no act. */
  readonly unanswered: string | null;
  /** The answers that no question took, in words. */
  readonly notes: readonly string[];
  readonly events: readonly Event[];
}

/** Plays a run without git and without processes. */
export function simulateWorkflow(app: Application, name: string, request: SimulateRequest): Simulated {
  const { definition } = openWorkflow(app.home, name, app.protocols, app.cwd);
  const answers = readAnswers(request.answers);
  const protocol = app.protocols.of(definition);
  const { script: file, task } = request;
  if (file === null) return simulate(definition, task, { play: "well", answers }, protocol);
  const script = readScript(readText(file, app.path(file)), file);
  const play: Playbook = (cue) => {
    const act = actFor(script, cue);
    return act && { text: act.say ?? "", exit: act.exit ?? 0, edits: act.edits };
  };
  return simulate(definition, task, { play, answers }, protocol);
}

export interface SimulateRequest {
  /** A file that says what agents answer; null: every step passes, and every question gets its first option. */
  readonly script: string | null;
  /** Answers to questions, `STEP=OPTION`, in the order in which a step asks. */
  readonly answers: readonly string[];
  readonly task: string;
}

function readAnswers(given: readonly string[]): readonly SimulatedAnswer[] {
  return given.map((text) => {
    const [, step, option] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (step !== undefined && option !== undefined) return { step: step.trim(), option: option.trim() };
    throw new AppError("USAGE", `"${text}" is not an answer`, { hint: "write STEP=OPTION: --answer review=approve" });
  });
}

/** Keeps a copy in Pawl's home, with its role files. */
export function install({ home, cwd, protocols }: Place, name: string): InstalledWorkflow {
  return installWorkflow(home, name, protocols, cwd);
}

/** Removes an installed copy. Runs have their own. */
export function uninstall({ home }: Place, id: string): void {
  uninstallWorkflow(home, id);
}
