import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, makeRepository, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { hasFrontendChanges } from "./changes.ts";

test("[WS2] a frontend file counts whether it is committed, changed or new", async () => {
  const repo = makeRepository({ "server.ts": "1", "page.html": "1", ".gitignore": "dist/\n" });
  const base = runGit(repo, "rev-parse", "HEAD");
  writeFiles(repo, { "server.ts": "2", "dist/out.css": "x" });
  expect(await hasFrontendChanges(repo, base)).toBe(false);
  writeFiles(repo, { "page.html": "2" });
  expect(await hasFrontendChanges(repo, base)).toBe(true);
  expect(await hasFrontendChanges(repo, `${base}@main`)).toBe(true);
  runGit(repo, "checkout", "--quiet", "page.html");
  writeFiles(repo, { "web/View.TSX": "1" });
  expect(await hasFrontendChanges(repo, base)).toBe(true);
  commitFile(repo, "web/View.TSX", "2");
  expect(await hasFrontendChanges(repo, base)).toBe(true);
});

test("[WS9] where nothing can be told, nothing changed", async () => {
  const repo = makeRepository({ "page.html": "1" });
  writeFiles(repo, { "page.html": "2" });
  expect(await hasFrontendChanges(repo, "--output=pwned")).toBe(false);
  expect(await hasFrontendChanges(repo, "0".repeat(40))).toBe(false);
  expect(await hasFrontendChanges(join(tempDir(), "nope"), "0".repeat(40))).toBe(false);
});
