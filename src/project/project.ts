// The project in a repository. Owns: what can be told of it by looking: languages, how it is tested and linted, what a fresh tree
// needs, where work starts from. It reads files and asks git, and runs nothing of the project's.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../domain/error.ts";
import { git, splitNul } from "../workspaces/git/git.ts";
import { branchCommit } from "../workspaces/git/head.ts";
import type { RepositoryFacts } from "../workspaces/git/repository.ts";
import { type Folder, makeTools, type Tools, toolsIn } from "./project-tools.ts";

export interface Project {
  readonly baseBranch: string | null;
  /** Those that most files are in, first. */
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
  /** Commands that would have been taken if there were no others. */
  readonly alternatives: readonly string[];
  /** Manifests below the top, which were not looked at: some of them, and how many there are. */
  readonly nested: { readonly files: readonly string[]; readonly count: number };
  /** Files that are here, that git ignores, and that programs may need. They often hold secrets. */
  readonly localFiles: readonly string[];
  readonly notes: readonly string[];
}

const largestManifestBytes = 1024 * 1024;
const listingBytes = 32 * 1024 * 1024;
const listingMs = 20_000;
const shownLanguages = 4;
const shownManifests = 5;

/** Of a repository that is not bare. */
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

/** A file's name or a branch's that may stand in a text that people read. */
function isPrintable(text: string): boolean {
  return text.length <= 200 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/u.test(text);
}

/** What belongs to the language of most files comes first; a target of make's before what only everybody else does. */
function inOrder(found: readonly Tools[], counts: ReadonlyMap<string, number>): readonly Tools[] {
  const files = ({ languages }: Tools) => languages.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  const [main, ...others] = found
    .filter(({ manager }) => manager !== makeTools)
    .toSorted((one, other) => files(other) - files(one));
  const make = found.filter(({ manager }) => manager === makeTools);
  if (main === undefined) return make;
  return main.isOwn ? [main, ...make, ...others] : [...make, main, ...others];
}

/** Links are not followed: they may lead anywhere. */
function folderAt(root: string): Folder {
  const entries = readdirSync(root, { withFileTypes: true });
  const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  return {
    names,
    text(name) {
      const file = join(root, name);
      if (!names.has(name) || statSync(file).size > largestManifestBytes) return null;
      try {
        return readFileSync(file, "utf8");
      } catch {
        return null; // not ours to read
      }
    },
  };
}

interface Listing {
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

async function trackedIn(root: string): Promise<Listing> {
  try {
    const { stdout } = await git(root, ["ls-files", "-z"], { maxOutputBytes: listingBytes, timeoutMs: listingMs });
    return { files: splitNul(stdout).filter((file) => !foreign.test(file)), notes: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "GIT_FAILED") throw error;
    return { files: [], notes: [`the files could not be counted: ${error.message}`] };
  }
}

/** What others wrote, and what stands for a project in a test. */
const foreign = /(?:^|\/)(?:node_modules|vendor|third_party|fixtures|testdata)\//;

const endings: Readonly<Record<string, string>> = {
  TypeScript: "ts tsx mts cts",
  JavaScript: "js jsx mjs cjs",
  Python: "py pyi",
  Rust: "rs",
  Go: "go",
  Java: "java",
  Kotlin: "kt kts",
  Scala: "scala",
  "C#": "cs",
  "F#": "fs",
  Ruby: "rb",
  PHP: "php",
  Elixir: "ex exs",
  C: "c h",
  "C++": "cc cpp cxx hh hpp",
  Swift: "swift",
  Dart: "dart",
  Haskell: "hs",
  Zig: "zig",
  Lua: "lua",
  Shell: "sh bash",
};
const languageOf = new Map(
  Object.entries(endings).flatMap(([language, all]) => all.split(" ").map((ending) => [ending, language] as const)),
);

function languagesOf(files: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) {
    const language = languageOf.get(/\.([a-z]+)$/.exec(file)?.[1] ?? "");
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return counts;
}

/** A script among hundreds of files says nothing about a project. Where nothing is tracked yet, its manifests speak. */
function mostUsed(counts: ReadonlyMap<string, number>, found: readonly Tools[]): readonly string[] {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (all === 0) return found.flatMap(({ languages }) => languages.slice(0, 1));
  return [...counts]
    .filter(([, count]) => count >= all / 20)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, shownLanguages)
    .map(([name]) => name);
}

const manifests = new Set([
  "package.json",
  "pyproject.toml",
  "Cargo.toml",
  "go.mod",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "Gemfile",
  "composer.json",
  "mix.exs",
]);

function nestedManifests(files: readonly string[]): Project["nested"] {
  const depth = (file: string) => file.split("/").length;
  const found = files
    .filter((file) => file.includes("/") && manifests.has(basename(file)) && isPrintable(file))
    .toSorted((one, other) => depth(one) - depth(other));
  return { files: found.slice(0, shownManifests), count: found.length };
}

/** What the remote calls its default, else what the user does, else what is usual. */
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

/** Those of the paths that git does not see. */
export async function ignoredOf(root: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const { stdout } = await git(root, ["check-ignore", "-z", "--stdin"], {
    input: paths.map((path) => `${path}\0`).join(""),
    allowFailure: true,
  });
  return splitNul(stdout);
}
