import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { withFileLock } from "./file-lock.ts";
import { appendInside, copyInside, enter, moveInside, openPrivateInside, readInside, writeInside } from "./inside.ts";
import { readNamedFile } from "./linked-file.ts";
import { readRegular } from "./regular-file.ts";
import { readIfReadable, readOptional } from "./text.ts";

/** A folder that an agent writes, and a file and a directory of the user's outside of it. */
function scene() {
  const dir = tempDir();
  const root = join(dir, "shared");
  const home = join(dir, "home");
  for (const path of [root, home]) mkdirSync(path);
  const bashrc = join(home, ".bashrc");
  writeFileSync(bashrc, "mine");
  return { dir, root, home, bashrc };
}

test("[WS40] a link in the place of a file is replaced by a whole write and a copy, and refused by everything else", () => {
  const { root, bashrc, dir } = scene();
  const file = join(root, "scratch.md");
  const source = join(dir, "source");
  writeFileSync(source, "copied");
  symlinkSync(bashrc, file);
  expect(() => appendInside(root, file, "evil")).toThrow("scratch.md is a link, which Pawl does not follow there");
  expect(() => openPrivateInside(root, file)).toThrow("is a link");
  expect(() => readInside(root, file)).toThrow("is a link");
  expect(() => readOptional(file)).toThrow("is a link");
  expect(readIfReadable(file)).toBe(null);
  writeInside(root, file, "ours");
  expect([lstatSync(file).isFile(), readFileSync(file, "utf8")]).toEqual([true, "ours"]);
  const other = join(root, ".env");
  symlinkSync(bashrc, other);
  copyInside(source, root, other);
  expect([lstatSync(other).isFile(), readFileSync(other, "utf8")]).toEqual([true, "copied"]);
  expect(readFileSync(bashrc, "utf8")).toBe("mine");
  expect(readdirSync(root).toSorted()).toEqual([".env", "scratch.md"]);
});

test("[WS40] a link in the place of a directory leads nowhere, neither does a name with dots", () => {
  const { root, home } = scene();
  symlinkSync(home, join(root, "logs"));
  const file = join(root, "logs", "new.txt");
  const ways = [
    () => writeInside(root, file, "x"),
    () => appendInside(root, file, "x"),
    () => openPrivateInside(root, file),
    () => copyInside(join(home, ".bashrc"), root, file),
    () => readInside(root, join(root, "logs", ".bashrc")),
    () => enter(root, join(root, "logs", "deeper"), { make: true }),
  ];
  for (const way of ways) expect(way).toThrow("a link in the place of a directory");
  expect(() => writeInside(root, join(root, "..", "home", "x"), "x")).toThrow("is outside of");
  writeInside(root, join(root, "draft"), "x");
  expect(() => moveInside(root, join(root, "draft"), file)).toThrow("a link in the place of a directory");
  expect(readdirSync(home)).toEqual([".bashrc"]);
});

test("[WS40] a directory that was entered stays the same one, also for programs, when a link takes its place", () => {
  const { root, home } = scene();
  const entered = enter(root, join(root, "a", "b"), { make: true });
  try {
    execFileSync("sh", ["-c", `mv '${root}/a' '${root}/moved' && mkdir '${root}/a' && ln -s '${home}' '${root}/a/b'`]);
    execFileSync("sh", ["-c", `echo x > '${entered.path}/made'`]);
    expect(existsSync(join(root, "moved", "b", "made"))).toBe(true);
    expect(readdirSync(home)).toEqual([".bashrc"]);
  } finally {
    entered.close();
  }
});

test("[WS40] a folder that the user linked is used; a pipe or a device in it is refused at once", async () => {
  const { dir, root } = scene();
  const linked = join(dir, "linked");
  symlinkSync(root, linked);
  appendInside(linked, join(linked, "notes", "a.md"), "x");
  expect(readFileSync(join(root, "notes", "a.md"), "utf8")).toBe("x");
  const pipe = join(root, "pipe");
  execFileSync("sh", ["-c", `mkfifo '${pipe}'`]);
  for (const way of [() => readInside(root, pipe), () => appendInside(root, pipe, "x"), () => readRegular("/dev/zero")])
    expect(way).toThrow("is not a regular file");
  // A file that a user names is not one to remove.
  const named = () => readRegular("/dev/zero", { links: "follow" });
  expect(named).toThrow(expect.objectContaining({ hint: "name a regular file" }));
  const lock = join(root, "state.lock");
  execFileSync("sh", ["-c", `mkfifo '${lock}'`]);
  expect(await withFileLock(lock, () => "held")).toBe("held");
});

test("[WS40] a file that is larger than what may be read is refused before it is in memory", () => {
  const { root } = scene();
  const file = join(root, "huge");
  writeFileSync(file, "");
  truncateSync(file, 2 ** 40);
  expect(() => readInside(root, file)).toThrow("huge is larger than 64 MiB");
});

test("[SE17] a role file that is a link does not lead out of the directory in which its name begins", () => {
  const { dir, root, bashrc } = scene();
  const workflow = join(root, "workflow");
  mkdirSync(join(workflow, "roles"), { recursive: true });
  writeFileSync(join(workflow, "roles", "real.md"), "role");
  writeFileSync(join(root, "shared.md"), "shared");
  symlinkSync("roles/real.md", join(workflow, "within.md"));
  symlinkSync(bashrc, join(workflow, "out.md"));
  symlinkSync(join(dir, "home"), join(workflow, "linked"));
  symlinkSync(bashrc, join(root, "also-out.md"));
  const read = (name: string) => readNamedFile(workflow, name);
  expect(["within.md", "roles/real.md", "../shared.md"].map(read)).toEqual(["role", "role", "shared"]);
  expect(["out.md", "linked/.bashrc", "../also-out.md", "missing.md"].map(read)).toEqual([null, null, null, null]);
});
