// Setting up a repository. Owns: looking at its files and at the agents of this machine, writing `.pawl/config.yml`, and choosing the
// next command. It opens no store and runs nothing of the project's.

import { relative } from "node:path";
import { agents } from "../../app.ts";
import { AppError } from "../../domain/error.ts";
import { ignoredOf, inspectProject, type Project } from "../../project/project.ts";
import { readConfig } from "../../runtime/config/config.ts";
import { shellWord } from "../../system/process/words.ts";
import { inspectRepository, type RepositoryFacts } from "../../workspaces/git/repository.ts";
import type { Application } from "../application.ts";
import { type ConfigPlace, configPath, findConfigPlace, placeConfig } from "./config-place.ts";
import { configText } from "./config-text.ts";
import { type ChosenExecutor, chooseExecutor, type FoundAgent, lookForAgents } from "./found-agents.ts";
import { trust } from "./trust.ts";

export interface InitRequest {
  /** Default: the repository of the current directory. */
  readonly repo?: string | undefined;
  /** Replace a file that exists; the old one is kept. */
  readonly force?: boolean | undefined;
  /** Write nothing. */
  readonly preview?: boolean | undefined;
}

export interface Initialized {
  readonly root: string;
  readonly project: Project;
  readonly agents: readonly FoundAgent[];
  /** The agent that a run would take; null: none can be used. */
  readonly defaultAgent: string | null;
  /** The text of the file. */
  readonly text: string;
  readonly config: { readonly file: string; readonly written: boolean; readonly kept: string | null };
  /** The path of the file in the repository. */
  readonly path: string;
  /** Git ignores the file. */
  readonly isIgnored: boolean;
  /** What to type next, in order. */
  readonly next: readonly string[];
}

export async function initialize(app: Application, request: InitRequest): Promise<Initialized> {
  const { preview = false, force = false } = request;
  const facts = await repositoryAt(app.path(request.repo ?? "."));
  const place = findConfigPlace(facts.root);
  if (place.isTaken && !force && !preview) throw alreadyThere(place);
  // Of the configuration only the user's own part: the repository's is being written.
  const config = await readConfig(app.home.configFile, null, agents);
  const executors = app.executorsOf(config);
  const [project, found] = await Promise.all([inspectProject(facts), lookForAgents(executors)]);
  const chosen = chooseExecutor(executors, found);
  const text = configText(project, chosen?.shared ?? null);
  const kept = preview ? null : placeConfig(place, text);
  // Its commands are made of Pawl's words, and the user sees them.
  if (!preview) await trust(app, { repo: facts.root, act: "agree" });
  return {
    root: facts.root,
    project,
    agents: found,
    defaultAgent: chosen?.name ?? null,
    text,
    config: { file: place.file, written: !preview, kept },
    path: configPath,
    isIgnored: !preview && (await ignoredOf(facts.root, [configPath])).length > 0,
    next: nextCommands(app.cwd, facts, project, chosen),
  };
}

async function repositoryAt(dir: string): Promise<RepositoryFacts> {
  const facts = await inspectRepository(dir);
  if (!facts.isBare) return facts;
  throw new AppError("REPOSITORY_UNUSABLE", `${facts.root} is a bare repository: it has no files to look at`, {
    hint: "clone it, call `pawl init` in the clone, and commit the file there",
  });
}

function alreadyThere({ file }: ConfigPlace): AppError {
  return new AppError("REFUSED", `${file} exists already; nothing was changed`, {
    hint: "`pawl init --print` shows what would be written; `--force` writes it and keeps the old file as config.yml.bak",
  });
}

function nextCommands(
  cwd: string,
  { root, head, branch }: RepositoryFacts,
  project: Project,
  chosen: ChosenExecutor | null,
): readonly string[] {
  if (chosen === null) return ["pawl demo"];
  const isElsewhere = /^\.\.(?:\/|$)/.test(relative(root, cwd));
  const isOnBase = project.baseBranch === null || project.baseBranch === branch;
  const run = [
    'pawl run feature-dev "What you want, in a sentence"',
    ...(isElsewhere ? ["--repo", shellWord(root)] : []),
    ...(head === null || isOnBase ? [] : ["--base", shellWord(project.baseBranch)]),
    ...(chosen.isUsual || chosen.shared !== null ? [] : ["--executor", shellWord(chosen.name)]),
  ].join(" ");
  const git = isElsewhere ? `git -C ${shellWord(root)}` : "git";
  return head === null ? [`${git} add -A && ${git} commit -m start`, run] : [run];
}
