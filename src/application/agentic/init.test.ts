import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { runId } from "../../domain/ids.ts";
import { readSidecar, writeSidecar } from "../../protocols/files/sidecar.ts";
import { Application } from "../application.ts";
import { initProject } from "./init.ts";
import { projectAt } from "./place.ts";

const exact =
  '{"project":"cart","story":null,"step":"bdd","attempt":1,"max_attempts":3,"status":"pending","reason":null,"dispatched_at":null,"completed_at":null,"timeout_min":5,"tests":null,"failing_tests":[],"lint_pass":null,"files_changed":[],"blocked_by":[],"human_note":null}';

function project(): { readonly app: Application; readonly dir: string; read(path: string): string } {
  const dir = join(tempDir(), "cart");
  mkdirSync(dir);
  const app = new Application({ cwd: dir, env: { PAWL_HOME: join(tempDir(), "home") } });
  return { app, dir, read: (path) => readFileSync(join(dir, path), "utf8") };
}

test("[PJ1 D6 D24 D93 D100 D101] sets up an empty folder, and the second time keeps everything", async () => {
  const { app, dir, read } = project();
  const first = await initProject(app, {});
  expect(read(".ai/STATE.json").trimEnd()).toBe(exact);
  expect(first).toMatchObject({ name: "cart", level: 1, kept: [], notes: [] });
  for (const path of ["docs/sdd.md", "docs/constitution.md", "docs/nfr.md", "docs/ddd/glossary.md"])
    expect(read(path)).toContain("cart");
  for (const path of ["docs/bdd", "docs/deltas", "docs/api"]) expect(existsSync(join(dir, path))).toBe(true);
  const memory = read("PROJECT_MEMORY.md").match(/^## .*/gm);
  expect(memory).toEqual(["## NOW", "## NEXT", "## DONE", "## TESTS", "## LOG"]);
  expect(read("PROJECT_CONTEXT.md")).toMatch(/## Why[^]*## Who[^]*## What[^]*## Stack[^]*## Structure/);
  expect(read("CLAUDE.md")).toContain(".ai/PROTOCOL.md");
  // The version that is said is the last one of its changelog.
  expect(read(".ai/PROTOCOL.md")).toMatch(
    /^Version 0\.6 of the protocol\.[^]*## Changelog[^]*\| 0\.1 \|[^]*\| 0\.6 \|[^|]*\|\s*$/m,
  );
  expect(read(".ai/.gitignore")).toMatch(/^STATE\.json\*$/m);
  expect(JSON.parse(read(".claude/settings.json"))).toMatchObject({
    hooks: { SessionEnd: [{ hooks: [{ command: expect.stringContaining("pawl project hook") as string }] }] },
  });
  writeFileSync(join(dir, "docs/sdd.md"), "mine");
  const second = await initProject(app, { level: "2" });
  expect(second.written).toEqual([]);
  expect(second.kept.toSorted()).toEqual(first.written.toSorted());
  expect(read("docs/sdd.md")).toBe("mine");
  expect(await projectAt(app, undefined)).toMatchObject({ root: dir, level: 2, name: "cart" });
});

test("[PJ1 PJ2 D93] says what to add where CLAUDE.md and the hooks are a person's own", async () => {
  const { app, dir, read } = project();
  mkdirSync(join(dir, ".claude"));
  writeFileSync(join(dir, "CLAUDE.md"), "mine");
  writeFileSync(join(dir, ".claude/settings.json"), "{}");
  mkdirSync(join(dir, ".ai"));
  const old = exact.replace('"cart"', '"other"').replace("bdd", "impl");
  writeFileSync(join(dir, ".ai/STATE.json"), old);
  const done = await initProject(app, {});
  expect(done.kept).toEqual(["CLAUDE.md", ".claude/settings.json", ".ai/STATE.json"]);
  // PROJECT_CONTEXT.md, which was written, refers to the protocol.
  expect(done.notes).toEqual([
    expect.stringMatching(/^\.claude\/settings\.json stays as it is .*add to it: .*pawl project hook/),
  ]);
  expect([read("CLAUDE.md"), read(".claude/settings.json"), read(".ai/STATE.json")]).toEqual(["mine", "{}", old]);
  expect(done.name).toBe("other");
});

test.each([
  ['{"a":1,"b":2}', "is not of this protocol (it has a, b)"],
  ['{"project":', "is not JSON"],
  ["[]", "is not of this protocol"],
])("[PJ2 D93] refuses a STATE.json of another tool and writes nothing: %s", async (text, why) => {
  const { app, dir, read } = project();
  mkdirSync(join(dir, ".ai"));
  writeFileSync(join(dir, ".ai/STATE.json"), text);
  const error = await initProject(app, {}).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "REFUSED", exitCode: 6, message: expect.stringContaining(why) as string });
  expect(read(".ai/STATE.json")).toBe(text);
  expect([existsSync(join(dir, "docs")), existsSync(join(dir, ".ai/.pawl.json"))]).toEqual([false, false]);
});

test("[PJ1] a run that uses the folder keeps its level and name, and they keep the run", async () => {
  const { app, dir } = project();
  await initProject(app, { level: "0", name: "shop" });
  const sidecar = join(dir, ".ai/.pawl.json");
  expect(readSidecar(sidecar)).toBe(null);
  writeSidecar(sidecar, { run: runId("r_1"), projected: 4 });
  expect(await projectAt(app, undefined)).toMatchObject({ level: 0, name: "shop" });
  await initProject(app, { level: "2" });
  expect(readSidecar(sidecar)).toMatchObject({ run: "r_1", projected: 4 });
});

test.each([{ level: "3" }, { name: "a\nb" }])("[PJ1] refuses %j", async (request) => {
  const { app, dir } = project();
  expect(await initProject(app, request).catch((thrown: unknown) => thrown)).toMatchObject({ code: "USAGE" });
  expect(existsSync(join(dir, ".ai"))).toBe(false);
});

test("[PJ20] a link in place of the folder is refused before anything is written, by init and by what needs the folder", async () => {
  const { app, dir } = project();
  const outside = tempDir();
  symlinkSync(outside, join(dir, ".ai"));
  await expect(initProject(app, {})).rejects.toThrow("is a link; nothing was read or written");
  await expect(projectAt(app, undefined)).rejects.toThrow("is a link");
  await expect(projectAt(app, dir)).rejects.toThrow("is a link");
  expect(readdirSync(outside)).toEqual([]);
  expect(readdirSync(dir)).toEqual([".ai"]);
});
