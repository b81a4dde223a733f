import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { readJson, writeJson } from "./json-file.ts";
import { replaceFile, writeWhole } from "./whole-file.ts";

test("[RA4 C68] a file is replaced whole, through a link, with its mode, and nothing stays beside it", () => {
  const dir = tempDir();
  writeFileSync(join(dir, "real.json"), "old", { mode: 0o640 });
  symlinkSync("real.json", join(dir, "state.json"));
  writeWhole(join(dir, "state.json"), "new");
  expect(readFileSync(join(dir, "real.json"), "utf8")).toBe("new");
  expect(statSync(join(dir, "real.json")).mode & 0o777).toBe(0o640);
  mkdirSync(join(dir, "taken"));
  expect(() => writeWhole(join(dir, "taken"), "x")).toThrow("EISDIR");
  expect(readdirSync(dir).toSorted()).toEqual(["real.json", "state.json", "taken"]);
});

test("[RA4] what a process left that was killed while it wrote goes when the next one writes; what others write stays", () => {
  const dir = tempDir();
  const dead = spawnSync("true").pid;
  const drafts = [
    `prd.json.${dead}-1.tmp`,
    `prd.json.${process.pid}-9999.tmp`,
    `other.json.${dead}-1.tmp`,
    "prd.json.tmp",
  ];
  for (const name of drafts) writeFileSync(join(dir, name), "half");
  writeWhole(join(dir, "prd.json"), "whole");
  expect(readdirSync(dir).toSorted()).toEqual(["prd.json", ...drafts.slice(1)].toSorted());
});

test("[RA4] each file of a directory loses the drafts of its own that a killed process left, when it is written", () => {
  const dir = tempDir();
  const dead = spawnSync("true").pid;
  for (const name of ["a.json", "b.json"]) writeFileSync(join(dir, `${name}.${dead}-1f.tmp`), "half");
  writeWhole(join(dir, "a.json"), "whole");
  expect(readdirSync(dir).toSorted()).toEqual(["a.json", `b.json.${dead}-1f.tmp`]);
  writeWhole(join(dir, "b.json"), "whole");
  expect(readdirSync(dir).toSorted()).toEqual(["a.json", "b.json"]);
});

test("[WS17] a file of Pawl's own takes the place of a link and is not written through it", () => {
  const dir = tempDir();
  writeFileSync(join(dir, "victim.txt"), "untouched");
  symlinkSync("victim.txt", join(dir, "pawl.json"));
  writeJson(join(dir, "pawl.json"), { run: "r1" });
  expect(lstatSync(join(dir, "pawl.json")).isFile()).toBe(true);
  expect(readJson(join(dir, "pawl.json"))).toEqual({ run: "r1" });
  expect(readFileSync(join(dir, "victim.txt"), "utf8")).toBe("untouched");
});

test("[WS17] a draft that cannot be completed leaves the old file and nothing beside it", () => {
  const dir = tempDir();
  writeFileSync(join(dir, "config.yml"), "old");
  const fail = (draft: string) => {
    writeFileSync(draft, "half");
    throw new Error("disk full");
  };
  expect(() => replaceFile(join(dir, "config.yml"), fail)).toThrow("disk full");
  expect(readFileSync(join(dir, "config.yml"), "utf8")).toBe("old");
  expect(readdirSync(dir)).toEqual(["config.yml"]);
});

test.each(["", "{", "nonsense"])("[WS17] a file with %j in it is read as no value", (text) => {
  const file = join(tempDir(), "pawl.json");
  expect(readJson(file)).toBeNull();
  writeFileSync(file, text);
  expect(readJson(file)).toBeNull();
});
