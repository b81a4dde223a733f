import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { makeRepository, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { runId, stepId, storyId } from "../../domain/ids.ts";
import { defaultFolder } from "../files/folder.ts";
import { readSidecar, shownOf, writeSidecar } from "../files/sidecar.ts";
import {
  editFile,
  excludePatterns,
  failureDiff,
  logName,
  restartDiff,
  type Shared,
  sharedIn,
  stepLogFile,
  storyScratch,
} from "./shared.ts";

const story = storyId("US-001");
const step = stepId("step-005");

const filesOf = (shared: Shared) => [
  shared.stateFile,
  shared.stateLock,
  shared.scratchFile,
  `${shared.scratchFile}.lock`,
  join(shared.scratchArchive, "scratch_US-001.md"),
  shared.sidecarFile,
  join(shared.failedEdits, "US-001.json"),
  storyScratch(shared, story),
  editFile(shared, story),
  stepLogFile(shared, story, step, 1),
  stepLogFile(shared, story, step, 2),
  failureDiff(shared, story, step, 1),
  failureDiff(shared, story, step, 2),
  restartDiff(shared, story, step, 1),
];

test("[RA1 C10 C77 C79 C83 C88] files are where Dynamic Ralph has them, and no attempt overwrites another's", () => {
  const shared = sharedIn("/repo");
  expect(filesOf(shared).map((file) => relative("/repo", file))).toEqual([
    "workflow_state.json",
    "workflow_state.json.lock",
    "scratch.md",
    "scratch.md.lock",
    "scratch_archive/scratch_US-001.md",
    ".pawl.json",
    "workflow_edits/failed/US-001.json",
    "scratch_US-001.md",
    "workflow_edits/US-001.json",
    "logs/US-001/step-005.jsonl",
    "logs/US-001/step-005.2.jsonl",
    "failures/US-001-step-005.diff",
    "failures/US-001-step-005-2.diff",
    "restarts/US-001-step-005-1.diff",
  ]);
  expect(logName(story, step, 3)).toBe("logs/US-001/step-005.3.jsonl");
  expect(defaultFolder("/repo", "ralph")).toBe(join("/repo", ".pawl", "ralph"));
});

test("[RA1 C15] an id that would leave the folder is refused", () => {
  for (const id of ["../x", "a/b", "", ".."]) {
    expect(() => editFile(sharedIn("/repo"), storyId(id))).toThrow("cannot be part of a file name");
    expect(() => failureDiff(sharedIn("/repo"), story, stepId(id), 1)).toThrow("cannot be part of a file name");
  }
});

/** What git would commit of a shared folder with all its files and of the project's own files. */
function seenByGit(repo: string, shared: Shared): string {
  for (const file of filesOf(shared)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "x");
  }
  mkdirSync(join(repo, ".git/info"), { recursive: true });
  writeFileSync(join(repo, ".git/info/exclude"), `${excludePatterns(shared, repo).join("\n")}\n`);
  return runGit(repo, "status", "--porcelain", "--untracked-files=all");
}

test("[RA2 C81] git sees none of the files, wherever the folder is in the repository", () => {
  for (const dir of [".", ".pawl/ralph", "odd [dir]*/ #x \\y ", "!not"]) {
    const repo = makeRepository();
    expect(seenByGit(repo, sharedIn(join(repo, dir)))).toBe("");
    runGit(repo, "add", "--all");
    runGit(repo, "reset", "--quiet", "--hard");
    runGit(repo, "clean", "-fdq");
    expect(readFileSync(sharedIn(join(repo, dir)).stateFile, "utf8")).toBe("x");
  }
});

test("[RA2] a project's own files of similar names stay visible", () => {
  const repo = makeRepository();
  writeFiles(repo, {
    "logs/mine.jsonl": "",
    "src/scratch.md": "",
    "failures/readme.md": "",
    "lib/workflow_state.json": "",
  });
  const seen = seenByGit(repo, sharedIn(repo)).split("\n");
  expect(seen).toEqual([
    "?? failures/readme.md",
    "?? lib/workflow_state.json",
    "?? logs/mine.jsonl",
    "?? src/scratch.md",
  ]);
});

test("[RA2 C81] a folder outside needs no pattern; a link is resolved first", () => {
  const repo = makeRepository();
  expect(excludePatterns(sharedIn(tempDir()), repo)).toEqual([]);
  expect(excludePatterns(sharedIn(join(repo, "..")), repo)).toEqual([]);
  expect(excludePatterns(sharedIn(join(repo, "..x")), repo)).toEqual(["/..x/"]);
  const link = join(tempDir(), "link");
  symlinkSync(repo, link);
  expect(excludePatterns(sharedIn(join(link, "new/folder")), repo)).toEqual(["/new/folder/"]);
});

test("[RA3] the folder remembers its run and how much of the log its files show", () => {
  const shared = sharedIn(join(tempDir(), "not/yet"));
  expect(readSidecar(shared.sidecarFile)).toBe(null);
  writeSidecar(shared.sidecarFile, { run: runId("k3x9"), projected: 12 });
  writeSidecar(shared.sidecarFile, { run: runId("k3x9"), projected: 40 });
  expect(readSidecar(shared.sidecarFile)).toEqual({ run: "k3x9", projected: 40 });
  writeSidecar(shared.sidecarFile, { run: runId("next"), projected: 1 });
  writeSidecar(shared.sidecarFile, { run: runId("next"), projected: 2 });
  expect(["k3x9", "next", "other"].map((run) => shownOf(shared.dir, runId(run)))).toEqual([40, 2, null]);
  for (const text of ["", "{", "null", '{"run": "../x", "projected": 1}', '{"run": "a"}']) {
    writeFileSync(shared.sidecarFile, text);
    expect(() => readSidecar(shared.sidecarFile)).toThrow("does not say which run uses this folder");
  }
});
