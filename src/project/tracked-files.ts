// Tracked files of a project. Owns: listing them, and finding manifests below the top.

import { basename } from "node:path";
import { AppError } from "../domain/error.ts";
import { git, splitNul } from "../workspaces/git/git.ts";

const listingBytes = 32 * 1024 * 1024;
const listingMs = 20_000;
const shownManifests = 5;

export interface Listing {
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

export async function trackedIn(root: string): Promise<Listing> {
  try {
    const { stdout } = await git(root, ["ls-files", "-z"], { maxOutputBytes: listingBytes, timeoutMs: listingMs });
    return { files: splitNul(stdout).filter((file) => !foreign.test(file)), notes: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "GIT_FAILED") throw error;
    return { files: [], notes: [`the files could not be counted: ${error.message}`] };
  }
}

/** Code of others, and projects that only serve tests. */
const foreign = /(?:^|\/)(?:node_modules|vendor|third_party|fixtures|testdata)\//;

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

/** Some manifests below the top, and how many there are. */
export interface NestedManifests {
  readonly files: readonly string[];
  readonly count: number;
}

export function nestedManifests(files: readonly string[]): NestedManifests {
  const depth = (file: string) => file.split("/").length;
  const found = files
    .filter((file) => file.includes("/") && manifests.has(basename(file)) && isPrintable(file))
    .toSorted((one, other) => depth(one) - depth(other));
  return { files: found.slice(0, shownManifests), count: found.length };
}

/** Whether the name of a file or a branch can be shown to people as it is. */
export function isPrintable(text: string): boolean {
  return text.length <= 200 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/u.test(text);
}
