// Around the commands: which Node runs them, what is missing on a machine, colour, and the package that is published.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { newSite, pawl } from "../support/pawl.ts";
import { tempDir } from "../support/repository.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** Starts `bin/pawl` as a Node of another version would. */
async function startedByOldNode(env: Readonly<Record<string, string>>): Promise<{ code: number; said: string }> {
  const disguise = `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0", sqlite: undefined } });
    process.argv.splice(1, 0, "pawl");
    require(${JSON.stringify(join(root, "bin/pawl"))});`;
  try {
    const { stdout, stderr } = await run(process.execPath, ["-e", disguise, "workflow", "list"], {
      env: { PATH: process.env["PATH"], PAWL_HOME: tempDir("pawl-node-"), ...env },
    });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, said: stdout + stderr };
  }
}

test("[CM18] an older Node hands over to PAWL_NODE, or to the one of the package; a Node that does not start is told", async () => {
  for (const env of [{ PAWL_NODE: process.execPath }, {}]) {
    const called = await startedByOldNode(env);
    expect(called).toMatchObject({ code: 0, said: expect.stringContaining("feature-dev") });
  }
  const missing = await startedByOldNode({ PAWL_NODE: join(root, "no-such-node") });
  expect(missing.code).toBe(4);
  expect(missing.said).toContain("error[NODE_TOO_OLD]");
  expect(missing.said).toContain("hint:");
});

test("[CM20] doctor says that everything needed is there, or exits 4 and says how to get what is missing", async () => {
  const site = newSite();
  expect(await site.json(["doctor"])).toMatchObject({ ok: true });
  const empty = site.path("empty");
  mkdirSync(empty);
  const without = await pawl(["doctor"], { home: site.home, env: { PATH: empty } });
  expect(without.code).toBe(4);
  expect(without.stdout).toMatch(/MISSING\s+git/);
  expect(without.stderr).toContain("hint: git: install git");
});

test("[CM17] there is no colour where there is no terminal", async () => {
  const site = newSite();
  const called = await pawl(["status"], { home: site.home, env: { NO_COLOR: "" } });
  expect(called.stderr).toContain("error[NOT_FOUND]");
  expect(called.stdout + called.stderr).not.toContain("\u001b");
});

test("[A105] the package builds without a type error, and brings the command line", async () => {
  const dist = tempDir("pawl-dist-");
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", dist], { cwd: root });
  for (const file of ["cli/main.js", "executors/scripted/agent.js"]) expect(existsSync(join(dist, file))).toBe(true);
  expect(existsSync(join(dist, "engine/limits.test.js"))).toBe(false);
});
