// The checks before a release: they name each thing that can be forgotten, and a complete release passes.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/repository.ts";

const script = fileURLToPath(new URL("../../scripts/release.ts", import.meta.url));

/** A repository that is ready for v1.2.3. */
function ready(): string {
  const dir = tempDir("pawl-release-");
  const about = { version: "1.2.3", repository: "github:example/pawl" };
  writeFileSync(join(dir, "package.json"), JSON.stringify(about));
  writeFileSync(join(dir, "package-lock.json"), JSON.stringify({ version: "1.2.3" }));
  const log =
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] – 2030-01-02\n\n### Fixed\n\n- A bug.\n\n## [1.2.2] – 2029-12-01\n";
  writeFileSync(join(dir, "CHANGELOG.md"), log);
  const as = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
  execFileSync("git", ["init", "--quiet"], { cwd: dir });
  execFileSync("git", ["add", "."], { cwd: dir });
  execFileSync("git", [...as, "commit", "--quiet", "-m", "Release 1.2.3"], { cwd: dir });
  return dir;
}

function release(dir: string, ...args: readonly string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: dir, encoding: "utf8" });
  return { code: status, said: stdout + stderr };
}

test("a complete release can be published, and its notes are those of its version", () => {
  const dir = ready();
  expect(release(dir, "check", "v1.2.3")).toEqual({ code: 0, said: "release: v1.2.3 can be published\n" });
  expect(release(dir, "notes", "v1.2.3")).toEqual({ code: 0, said: "### Fixed\n\n- A bug.\n" });
  expect(release(dir, "notes", "v9.9.9")).toMatchObject({ code: 1, said: expect.stringContaining("[9.9.9]") });
});

test.each<readonly [string, string, (dir: string) => void, RegExp]>([
  ["another version", "v1.2.4", () => {}, /package\.json has version 1\.2\.3, the tag says 1\.2\.4/],
  ["no version", "latest", () => {}, /'latest' is not a tag of a version/],
  ["an empty section", "v1.2.2", () => {}, /CHANGELOG\.md says nothing under \[1\.2\.2\]/],
  ["a dirty tree", "v1.2.3", (dir) => writeFileSync(join(dir, "left.txt"), ""), /the tree is not clean/],
  ["an old lockfile", "v1.2.3", (dir) => replace(dir, "package-lock.json", "1.2.3", "1.2.2"), /package-lock\.json/],
  ["no section", "v1.2.3", (dir) => replace(dir, "CHANGELOG.md", "[1.2.3]", "[next]"), /no section `## \[1\.2\.3\]/],
  ["no repository", "v1.2.3", (dir) => replace(dir, "package.json", "repository", "origin"), /has no `repository`/],
])("%s is reported and stops the release", (_, tag, change, told) => {
  const dir = ready();
  change(dir);
  expect(release(dir, "check", tag)).toMatchObject({ code: 1, said: expect.stringMatching(told) });
});

function replace(dir: string, file: string, from: string, to: string): void {
  writeFileSync(join(dir, file), readFileSync(join(dir, file), "utf8").replace(from, to));
}
