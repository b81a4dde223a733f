// Repositories inside a tree: an agent may have made them, with a configuration that names programs.

import { appendFileSync, chmodSync, existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { countDirty, uncommittedFiles } from "../git/repository.ts";
import { addedSince, changedSince, hasFrontendChanges } from "./changes.ts";
import { leftIn } from "./left-work.ts";
import { treeOf } from "./snapshot.ts";

function trapped() {
  const dir = tempDir("pawl-inside-");
  const repo = makeRepository({ "a.txt": "a\n" }, { dir: join(dir, "repo") });
  const inside = makeRepository({ "f.txt": "f\n" }, { dir: join(repo, "sub") });
  runGit(repo, "add", "sub");
  writeFileSync(join(repo, ".gitmodules"), '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n');
  runGit(repo, "add", ".gitmodules");
  runGit(repo, "commit", "--quiet", "--message=sub");
  const evil = join(dir, "evil");
  const mark = join(dir, "ran");
  writeFileSync(evil, `#!/bin/sh\necho ran >> ${mark}\ncat\n`);
  chmodSync(evil, 0o755);
  appendFileSync(join(inside, ".git/config"), `[filter "e"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`);
  writeFileSync(join(inside, ".gitattributes"), "* filter=e\n");
  // As large as before, and older: git must read it, through the filter.
  const touch = () => utimesSync(join(inside, "f.txt"), 978_307_200, 978_307_200);
  return { repo, inside, touch, hasRun: () => existsSync(mark) };
}

test("[SE16] no look at a tree runs a program that a repository inside it configures", async () => {
  const { repo, inside, touch, hasRun } = trapped();
  const head = runGit(repo, "rev-parse", "HEAD");
  // Something else changed, so that files are added.
  writeFileSync(join(repo, "b.txt"), "b\n");
  const looks = [
    () => treeOf(repo),
    () => countDirty(repo),
    () => uncommittedFiles(repo),
    () => leftIn(repo),
    () => changedSince(repo, head),
    () => addedSince(repo, head),
    () => hasFrontendChanges(repo, head),
  ];
  for (const look of looks) {
    touch();
    await look();
    expect([look.toString(), hasRun()]).toEqual([look.toString(), false]);
  }
  // The trap is one: git itself falls into it.
  touch();
  runGit(repo, "status");
  expect(hasRun()).toBe(true);
  expect(existsSync(join(inside, "f.txt"))).toBe(true);
});

test("[WS5] a repository inside is in a snapshot with the commit that it has by now, and its files where it is none any more", async () => {
  const { repo, inside } = trapped();
  runGit(inside, "commit", "--quiet", "--allow-empty", "--message=more");
  const now = runGit(inside, "rev-parse", "HEAD");
  expect(runGit(repo, "ls-tree", await treeOf(repo), "sub")).toContain(now);
});
