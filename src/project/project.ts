// The project in a repository. Owns: what can be learned by reading its files and asking git: languages, how it is tested and linted,
// what a fresh tree needs, where work starts from. Nothing of the project is executed.

import { statSync } from "node:fs";
import { join } from "node:path";
import { git, splitNul } from "../workspaces/git/git.ts";
import { branchCommit } from "../workspaces/git/head.ts";
import type { RepositoryFacts } from "../workspaces/git/repository.ts";
import { folderAt } from "./folder.ts";
import { languagesOf, mostUsed } from "./languages.ts";
import { toolsIn } from "./tool-finders.ts";
import { makeTools, type Tools } from "./tools.ts";
import { isPrintable, type NestedManifests, nestedManifests, trackedIn } from "./tracked-files.ts";

export interface Project {
  readonly baseBranch: string | null;
  /** The language with the most files first. */
  readonly languages: readonly string[];
  /** Package managers and the like. */
  readonly managers: readonly string[];
  readonly commands: {
    readonly test: string | null;
    readonly lint: string | null;
    readonly types: string | null;
    readonly setup: readonly string[];
  };
  /** Files whose change makes setup necessary again. */
  readonly setupWhen: readonly string[];
  /** Commands of the same kinds that were not chosen. */
  readonly alternatives: readonly string[];
  /** Manifests below the top, which were not read. */
  readonly nested: NestedManifests;
  /** Ignored files that exist here and that programs may need. They often hold secrets. */
  readonly localFiles: readonly string[];
  readonly notes: readonly string[];
}

/** The repository must not be bare. */
export async function inspectProject(facts: RepositoryFacts): Promise<Project> {
  const { root } = facts;
  const [listing, baseBranch, localFiles] = await Promise.all([
    trackedIn(root),
    baseBranchOf(facts),
    ignoredFiles(root, localNames),
  ]);
  const counts = languagesOf(listing.files);
  const found = inOrder(toolsIn(folderAt(root)), counts);
  const pick = (kind: "test" | "lint" | "types") => found.flatMap((tools) => tools[kind] ?? []);
  const [tests, lints, types] = [pick("test"), pick("lint"), pick("types")];
  return {
    baseBranch: baseBranch !== null && isPrintable(baseBranch) ? baseBranch : null,
    languages: mostUsed(counts, found),
    managers: found.map(({ manager }) => manager),
    commands: {
      test: tests[0] ?? null,
      lint: lints[0] ?? null,
      types: types[0] ?? null,
      setup: found.flatMap(({ setup }) => setup ?? []),
    },
    setupWhen: found.flatMap(({ setup, setupWhen }) => (setup === null ? [] : setupWhen)),
    alternatives: [tests, lints, types].flatMap((all) => all.slice(1)),
    nested: nestedManifests(listing.files),
    localFiles,
    notes: [...listing.notes, ...found.flatMap(({ notes }) => notes)],
  };
}

/** Tools of the language with the most files come first; targets of make come before commands that the project does not define. */
function inOrder(found: readonly Tools[], counts: ReadonlyMap<string, number>): readonly Tools[] {
  const files = ({ languages }: Tools) => languages.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  const [main, ...others] = found
    .filter(({ manager }) => manager !== makeTools)
    .toSorted((one, other) => files(other) - files(one));
  const make = found.filter(({ manager }) => manager === makeTools);
  if (main === undefined) return make;
  return main.isOwn ? [main, ...make, ...others] : [...make, main, ...others];
}

/** The default branch of the remote, else the user's `init.defaultBranch`, else the usual names. */
async function baseBranchOf({ root, defaultBranch }: RepositoryFacts): Promise<string | null> {
  const remote = ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"];
  if ((await git(root, remote, { allowFailure: true })).code === 0) return defaultBranch;
  const { stdout } = await git(root, ["config", "--get", "init.defaultBranch"], { allowFailure: true });
  const chosen = stdout.trim();
  return chosen !== "" && (await branchCommit(root, chosen)) !== null ? chosen : defaultBranch;
}

const localNames = [".env", ".env.local", ".env.development", ".env.development.local", ".env.test", ".env.test.local"];

async function ignoredFiles(root: string, names: readonly string[]): Promise<readonly string[]> {
  const there = names.filter((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile());
  return await ignoredOf(root, there);
}

/** Those of the paths that git ignores. */
export async function ignoredOf(root: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const { stdout } = await git(root, ["check-ignore", "-z", "--stdin"], {
    input: paths.map((path) => `${path}\0`).join(""),
    allowFailure: true,
  });
  return splitNul(stdout);
}
