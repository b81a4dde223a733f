// The list of contracts: every JSON document that Pawl prints, by name, with the commands that print it. Loads zod: only
// `pawl schema`, tests and scripts import this file.

import { z } from "zod";
import { costContract, costsContract } from "./cost-documents.ts";
import { diffContract } from "./diff-document.ts";
import { errorContract } from "./error-document.ts";
import { eventContract } from "./events.ts";
import { createdTokenContract, revokedTokenContract, tokensContract, workOverviewContract } from "./http-documents.ts";
import {
  lifecyclePositionContract,
  lifecycleReadingContract,
  lifecycleSessionContract,
  skillResultContract,
} from "./lifecycle-documents.ts";
import {
  backupContract,
  cleanContract,
  doctorContract,
  executorReadingContract,
  executorsContract,
  executorTestContract,
  initContract,
  type SchemaList,
  schemasContract,
  storeCheckContract,
  storeCopyContract,
  trustContract,
} from "./machine-documents.ts";
import {
  dispatchContract,
  projectBudgetContract,
  projectDecidedContract,
  projectHookContract,
  projectInitContract,
  projectPromptContract,
  projectReadingContract,
  projectRulesContract,
  projectSaidContract,
  projectStatusContract,
  projectStoriesContract,
  projectTeamHookContract,
} from "./project-documents.ts";
import {
  addedNoteContract,
  answerContract,
  capsContract,
  droppedContract,
  gatesContract,
  logsContract,
  oneRunContract,
  revertContract,
  runsContract,
  sentSignalContract,
  startedContract,
  statusContract,
  stoppedAttemptContract,
  storiesContract,
  storyPlanContract,
  whyContract,
} from "./run-documents.ts";
import { removedScheduleContract, scheduleContract, schedulesContract } from "./schedule-documents.ts";
import {
  openedPageContract,
  serviceInstalledContract,
  serviceStartedContract,
  serviceStoppedContract,
  workerStartedContract,
} from "./service-documents.ts";
import { contractVersion } from "./shape.ts";
import { watchContract } from "./watch-document.ts";
import {
  claimContract,
  editContract,
  installedContract,
  peekContract,
  prdCheckContract,
  prdDoneContract,
  reportContract,
  scratchContract,
  simulationContract,
  uninstalledContract,
  workflowCheckContract,
  workflowContract,
  workflowsContract,
} from "./workflow-documents.ts";

export interface Contract<Schema extends z.ZodType = z.ZodType> {
  readonly summary: string;
  /** As `pawl COMMAND` spells them. */
  readonly commands: readonly string[];
  readonly schema: Schema;
}

function contract<Schema extends z.ZodType>(schema: Schema, summary: string, ...commands: readonly string[]) {
  return { schema, summary, commands } satisfies Contract<Schema>;
}

const driving = ["run", "resume", "demo", "prd run", "prd import", "agent run"];

const table = {
  status: contract(statusContract, "the status of a run", "status", "workflow status", "waits", ...driving),
  runs: contract(runsContract, "the list of runs", "runs", "workflow runs"),
  run: contract(
    oneRunContract,
    "a run after it was paused, cancelled or retried",
    "pause",
    "cancel",
    "retry",
    "workflow stop",
  ),
  started: contract(
    startedContract,
    "a run that was only recorded",
    "run --detach",
    "prd run --detach",
    "prd import --detach",
    "agent run --detach",
    "schedule run",
  ),
  schedules: contract(schedulesContract, "the schedules", "schedule list"),
  schedule: contract(
    scheduleContract,
    "a schedule after it was added, paused or resumed",
    "schedule add",
    "schedule pause",
    "schedule resume",
  ),
  "schedule-removed": contract(removedScheduleContract, "a schedule that was removed", "schedule remove"),
  stories: contract(storiesContract, "the stories of a run", "stories", "step stories"),
  why: contract(whyContract, "what a run is doing or waits for", "why"),
  cost: contract(costContract, "what a run used", "cost RUN"),
  costs: contract(costsContract, "what each run used", "cost"),
  watch: contract(watchContract, "all runs, what needs a person first", "watch"),
  logs: contract(logsContract, "the attempts of a run and where their logs are", "logs"),
  diff: contract(diffContract, "what a run or a story changed", "diff"),
  event: contract(eventContract, "one line of the log of a run", "events", "run --events", "resume --events"),
  gates: contract(gatesContract, "open questions", "gates"),
  "stopped-attempt": contract(stoppedAttemptContract, "an attempt that a person stopped", "stop"),
  caps: contract(capsContract, "the caps of a run and what is used of them", "cap"),
  signal: contract(sentSignalContract, "a signal that was sent", "signal"),
  dropped: contract(droppedContract, "a step or a story that was dropped", "step drop", "story drop", "story skip"),
  "story-plan": contract(
    storyPlanContract,
    "the stories that a run still has to start",
    "story add",
    "story move",
    "story edit",
  ),
  revert: contract(revertContract, "a story that was taken back", "revert"),
  note: contract(addedNoteContract, "a note that was added", "note"),
  answer: contract(answerContract, "a gate that was answered", "answer", "approve", "reject"),
  edit: contract(editContract, "a chain before and after an edit", "edit"),
  peek: contract(peekContract, "whether a claim would get a step", "step peek"),
  claim: contract(claimContract, "a step that was claimed", "step claim"),
  report: contract(reportContract, "whether a report was accepted", "step complete", "step fail"),
  workflows: contract(workflowsContract, "bundled and installed workflows", "workflow list"),
  workflow: contract(workflowContract, "a workflow in its internal form", "workflow show"),
  "workflow-check": contract(workflowCheckContract, "what is wrong with a workflow file", "workflow check"),
  "workflow-install": contract(installedContract, "an installed workflow", "workflow install"),
  "workflow-uninstall": contract(uninstalledContract, "an uninstalled workflow", "workflow uninstall"),
  simulation: contract(simulationContract, "the path that a simulated run took", "workflow simulate"),
  "prd-check": contract(prdCheckContract, "the stories of a PRD and their order", "prd check"),
  "prd-done": contract(prdDoneContract, "a PRD whose stories all pass already", "prd run"),
  "lifecycle-position": contract(
    lifecyclePositionContract,
    "where a project with .workflow stands",
    "lifecycle position",
  ),
  "lifecycle-session": contract(
    lifecycleSessionContract,
    "a session of a lifecycle",
    "lifecycle",
    "lifecycle execute",
    "lifecycle continue",
    "lifecycle status",
  ),
  "skill-result": contract(skillResultContract, "what became of the call of a skill", "lifecycle perform"),
  "lifecycle-reading": contract(lifecycleReadingContract, "what a result file says", "lifecycle read"),
  "project-init": contract(projectInitContract, "what a project was set up with", "project init"),
  "project-budget": contract(projectBudgetContract, "tokens planned and used by step", "project budget"),
  "project-reading": contract(projectReadingContract, "what a hand-off or executor-result means", "project read"),
  "project-stories": contract(projectStoriesContract, "the stories of a project", "project add", "project import"),
  "project-dispatch": contract(dispatchContract, "what came of continuing a project", "project continue"),
  "project-status": contract(projectStatusContract, "where a project stands", "project status"),
  "project-prompt": contract(projectPromptContract, "a prompt to forward", "project prompt"),
  "project-rules": contract(projectRulesContract, "the effective rules of a project", "project rules"),
  "project-decided": contract(
    projectDecidedContract,
    "what a person decided about a story",
    "project approve",
    "project reject",
    "project note",
    "project retry",
    "project skip",
    "project abort",
  ),
  "project-said": contract(projectSaidContract, "what was made of a message", "project say"),
  "project-hook": contract(projectHookContract, "what came of the end of a session", "project hook"),
  "project-team-hook": contract(
    projectTeamHookContract,
    "whether a hook of an Agent Team blocks, and why",
    "project hook task-completed",
    "project hook teammate-idle",
  ),
  scratch: contract(scratchContract, "the file that was added to", "scratch append"),
  executors: contract(executorsContract, "the executors", "executor list"),
  "executor-test": contract(executorTestContract, "the result of a test call", "executor test"),
  "executor-reading": contract(executorReadingContract, "what a recorded output means", "executor read"),
  init: contract(initContract, "what was found in a repository and written", "init"),
  doctor: contract(doctorContract, "what is installed and what is missing", "doctor"),
  clean: contract(cleanContract, "what was removed after runs that are over", "clean"),
  trust: contract(trustContract, "the commands of a repository and whether the user agreed", "trust"),
  backup: contract(backupContract, "a copy of the store", "store backup"),
  "store-copy": contract(storeCopyContract, "a store that was copied to another one", "store copy"),
  "store-check": contract(
    storeCheckContract,
    "whether a store is sound, and its runs what their logs say",
    "store check",
  ),
  token: contract(createdTokenContract, "a new token of the HTTP API", "token create"),
  tokens: contract(tokensContract, "the tokens of the HTTP API", "token list"),
  "token-revoked": contract(revokedTokenContract, "a token that was revoked", "token revoke"),
  "opened-page": contract(openedPageContract, "the page that was opened, or its address", "open"),
  service: contract(serviceStartedContract, "a service that is ready, in one line", "up"),
  worker: contract(workerStartedContract, "a worker that is ready, in one line", "worker"),
  workers: contract(workOverviewContract, "what works, what waits for it, and what it cannot use", "worker list"),
  "service-install": contract(serviceInstalledContract, "a file that starts the service at login", "up --install"),
  "service-stop": contract(serviceStoppedContract, "a service that was stopped", "down"),
  schemas: contract(schemasContract, "the list of documents", "schema"),
  error: contract(errorContract, "why a command failed; printed instead of its document", "every command"),
};

/** Every document that Pawl prints: the console takes nothing else. */
export type PrintedDocument = z.infer<(typeof table)[keyof typeof table]["schema"]>;

export const contracts: Readonly<Record<string, Contract>> = table;

export function listSchemas(): SchemaList {
  const documents = Object.entries(contracts).map(([name, { summary, commands }]) => ({ name, summary, commands }));
  return { version: contractVersion, documents };
}

/** Open, unlike the contract: a document of a later Pawl may have more keys. */
export function jsonSchemaOf(name: string, { schema, summary }: Contract): Readonly<Record<string, unknown>> {
  const body = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // Of every object and list, and it says nothing about a document that is printed.
      delete jsonSchema.readOnly;
    },
  });
  const { $schema, id: _, ...rest } = body;
  return { $schema, $id: `pawl:${contractVersion}:${name}`, title: `${name}: ${summary}`, ...rest };
}
