// Checks a release before it is published, and prints its notes. Used by .github/workflows/release.yml.
//   node scripts/release.ts check v1.2.3    says what is missing and exits with 1
//   node scripts/release.ts notes v1.2.3    prints the section of CHANGELOG.md

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

interface Package {
  readonly version: string;
  readonly repository?: string | { readonly url?: string };
}

const [action = "", tag = ""] = process.argv.slice(2);
const version = tag.replace(/^v/, "");
const notes = notesOf(version);

if (action === "check") {
  const problems = problemsOf(JSON.parse(readFileSync("package.json", "utf8")) as Package);
  for (const problem of problems) console.error(`release: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`release: ${tag} can be published`);
} else if (action === "notes" && notes !== null) {
  console.log(notes);
} else {
  console.error(
    notes === null ? `release: CHANGELOG.md has no section [${version}]` : "usage: release.ts check|notes TAG",
  );
  process.exitCode = 1;
}

function problemsOf(written: Package): string[] {
  const repository = typeof written.repository === "string" ? written.repository : written.repository?.url;
  return [
    /^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag) ? "" : `'${tag}' is not a tag of a version, such as v1.2.3`,
    written.version === version ? "" : `package.json has version ${written.version}, the tag says ${version}`,
    lockedVersion() === written.version
      ? ""
      : "package-lock.json has another version than package.json: run `npm install`",
    notes === null ? `CHANGELOG.md has no section \`## [${version}] – DATE\`` : "",
    notes === "" ? `CHANGELOG.md says nothing under [${version}]` : "",
    repository === undefined ? "package.json has no `repository`: provenance must name where the code is" : "",
    git("status", "--porcelain") === "" ? "" : "the tree is not clean: commit or remove what `git status` shows",
  ].filter((problem) => problem !== "");
}

function lockedVersion(): string {
  return (JSON.parse(readFileSync("package-lock.json", "utf8")) as Package).version;
}

/** The text below the version's heading; null if there is no such heading. */
function notesOf(wanted: string): string | null {
  const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${wanted}]`));
  return section === undefined ? null : section.replace(/^.*\n/, "").trim();
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}
