// Finding a workflow by a directory, and showing where it is.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { findHome } from "../../system/home.ts";
import { findWorkflow, shownPath } from "./workflow-library.ts";

test("[CM15] a directory stands for its workflow.yml, else for its only YAML file; several are listed", () => {
  const dir = tempDir();
  const home = findHome({ PAWL_HOME: join(dir, "home") });
  const write = (name: string) => writeFileSync(join(dir, name), "pawl: 1\n");
  expect(() => findWorkflow(home, ".", dir)).toThrow(/no workflow file/);
  write("release.yml");
  expect(findWorkflow(home, ".", dir)).toEqual({ file: join(dir, "release.yml"), origin: "path" });
  write("other.yaml");
  expect(() => findWorkflow(home, ".", dir)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("other.yaml, release.yml") }),
  );
  write("workflow.yml");
  mkdirSync(join(dir, "sub"));
  expect(findWorkflow(home, "..", join(dir, "sub")).file).toBe(join(dir, "workflow.yml"));
});

test("[CM15] a path is shown as it would be typed from the current directory", () => {
  expect(shownPath("/a/b/flows/w.yml", "/a/b")).toBe("flows/w.yml");
  expect(shownPath("/a/w.yml", "/a/b")).toBe("/a/w.yml");
});
