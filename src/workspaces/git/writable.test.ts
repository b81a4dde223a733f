import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makeRepository } from "../../../test/support/repository.ts";
import { assertWritable } from "./writable.ts";

const parts = [".", "objects", "refs", "refs/heads", "info"];

test("[WS41] a git directory that cannot be written is named, whichever part of it is read-only", async () => {
  const repo = makeRepository({ "a.txt": "one\n" });
  await assertWritable(repo);
  const before = "# mine\n";
  const exclude = join(repo, ".git", "info", "exclude");
  mkdirSync(dirname(exclude), { recursive: true });
  writeFileSync(exclude, before);
  const answers = asNobody(
    dirname(repo),
    `
    import { chmodSync } from "node:fs";
    import { join } from "node:path";
    import { excludeLocally } from ${file("exclude.ts")};
    import { assertWritable } from ${file("writable.ts")};
    const repo = ${JSON.stringify(repo)};
    const answers = [];
    const answer = async (path, mode, ask) => {
      chmodSync(join(repo, ".git", path), mode & 0o555);
      await ask().then(() => answers.push(path + " is fine"), ({ code, message, hint }) => answers.push({ code, message, hint }));
      chmodSync(join(repo, ".git", path), mode);
      await assertWritable(repo);
    };
    for (const part of ${JSON.stringify(parts)}) await answer(part, 0o700, () => assertWritable(repo));
    await answer("info/exclude", 0o600, () => excludeLocally(repo, ["something"]));
    console.log(JSON.stringify(answers));
  `,
  );
  const unusable = {
    code: "REPOSITORY_UNUSABLE",
    message: expect.stringContaining(`the git directory ${join(repo, ".git")} cannot be written`),
    hint: expect.stringContaining("writable"),
  };
  expect(answers).toStrictEqual([...parts, "info/exclude"].map(() => unusable));
  expect(readFileSync(exclude, "utf8")).toBe(before);
});

function file(name: string): string {
  return JSON.stringify(join(import.meta.dirname, name));
}

/** Root ignores permissions, so the program is run as another user who owns the directory. */
function asNobody(directory: string, program: string): unknown {
  const nobody = 65_534;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chmodSync(directory, 0o700);
    for (const name of ["", ...readdirSync(directory, { recursive: true, encoding: "utf8" })])
      chownSync(join(directory, name), nobody, nobody);
  }
  const told = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: directory,
    encoding: "utf8",
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  });
  return JSON.parse(told);
}
