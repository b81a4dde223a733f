// Putting a configuration in place.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { findConfigPlace, placeConfig } from "./config-place.ts";

test("[CM63] a text that is no configuration is never put in place, and leaves nothing behind", () => {
  const root = tempDir();
  const place = findConfigPlace(root);
  expect(place.isTaken).toBe(false);
  expect(() => placeConfig(place, "no_such_setting: 1\n")).toThrow(/no_such_setting/);
  expect(readdirSync(join(root, ".pawl"))).toEqual([]);

  writeFileSync(place.file, "budget: { usd: 1 }\n");
  expect(() => placeConfig(findConfigPlace(root), "a: [\n")).toThrow(/config\.yml/);
  expect(readdirSync(join(root, ".pawl"))).toEqual(["config.yml"]);
  expect(readFileSync(place.file, "utf8")).toBe("budget: { usd: 1 }\n");
});

test("[CM64] what is in the way is refused and stays", () => {
  const root = tempDir();
  writeFileSync(join(root, ".pawl"), "a file\n");
  expect(() => findConfigPlace(root)).toThrow(/is not a directory/);
  const other = tempDir();
  mkdirSync(join(other, ".pawl/config.yml"), { recursive: true });
  expect(() => findConfigPlace(other)).toThrow(/is not a plain file/);
});

test("[CM63] where nothing can be written that is said, with what to do", () => {
  const root = tempDir();
  writeFileSync(join(root, "file"), "");
  const place = { file: join(root, "file", "config.yml"), isTaken: false };
  expect(() => placeConfig(place, "")).toThrow(expect.objectContaining({ code: "REPOSITORY_UNUSABLE" }));
});
