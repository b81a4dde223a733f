// The library from the packed tarball, in an empty project: the examples compile in strict mode and run, the declarations need no
// other package, and a program can always exit.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { addDeclarations, bundledClone, packInto } from "../support/packing.ts";
import { makeRepository, runGit, tempDir } from "../support/repository.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);
let project = "";

beforeAll(async () => {
  const clone = await bundledClone();
  await addDeclarations(clone);
  project = tempDir("pawl-consumer-");
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await packInto(project, clone);
  cpSync(join(root, "examples"), join(project, "examples"), { recursive: true });
});

/** Strict and without skipLibCheck, so the package's declarations are checked, too. */
async function compile(name: string, files: readonly string[], more: object): Promise<void> {
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
    ...more,
  };
  writeFileSync(join(project, name), JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", name], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe("");
}

/** Runs one of the project's programs with a home and a repository. */
async function start(program: string, home: string, repo: string): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [program, repo], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: home, PAWL_HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    timeout: 60_000,
  });
  return stdout + stderr;
}

function newPlace() {
  const dir = tempDir("pawl-example-");
  const repo = makeRepository({ "README.md": "# a project\n" }, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"));
  return { home: join(dir, "home"), repo };
}

test("[A105 LB15] the sources compile without type errors, and the package's declarations alone, without zod and Node's types", async () => {
  const program = `
    import { openPawl, PawlError, WorkflowError, type EventDocument, type PawlRun, type WorkflowProblem } from "pawl";
    export async function ended(run: PawlRun): Promise<string | null> {
      for await (const event of run.events()) if (event.type === "run_ended") return event.status;
      return null;
    }
    // @ts-expect-error: no event has this type
    export const isWrong = (event: EventDocument) => event.type === "run_vanished";
    export async function problems(workflow: Record<string, unknown>): Promise<readonly WorkflowProblem[]> {
      const pawl = await openPawl({ executors: { mine: ({ prompt }) => prompt } });
      try {
        await pawl.start({ workflow, task: "x" });
        return [];
      } catch (error) {
        if (error instanceof WorkflowError) return error.problems;
        throw error instanceof PawlError ? error.hint : error;
      } finally {
        await pawl.close();
      }
    }`;
  writeFileSync(join(project, "consumer.ts"), program);
  await compile("tsconfig.alone.json", ["consumer.ts"], {});
  await compile("tsconfig.dom.json", ["consumer.ts"], { lib: ["es2024", "dom"] });
});

test("[LB15] the examples compile in strict mode against the package", async () => {
  const node = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
  await compile("tsconfig.examples.json", ["examples/embed.ts", "examples/own-executor.ts"], node);
});

test("[LB16] the example that embeds Pawl starts a run, answers its gate and prints its status", async () => {
  const { home, repo } = newPlace();
  const said = await start("examples/embed.ts", home, repo);
  expect(said).toMatch(/gate_opened\nasked: Is the greeting friendly\?\n[^]*run_ended\n/);
  expect(said).toMatch(/run 1 is done, the work is on (pawl\/1-\S+)\n {2}write: done\n {2}look: done\n {2}check: done/);
  expect(runGit(repo, "log", "--format=%s", "--all")).toContain("Greet");
});

test("[LB16] the example with an executor in TypeScript runs a workflow", async () => {
  const { home, repo } = newPlace();
  const said = await start("examples/own-executor.ts", home, repo);
  expect(said).toMatch(/run 1 is done: /);
  const [, branch = ""] = /the work is on (\S+)/.exec(said) ?? [];
  expect(runGit(repo, "show", `${branch}:DIARY.md`)).toBe("- Today I embedded Pawl");
});

test("[LB12] two processes use the same home at once: both runs are done, and both are kept", async () => {
  const { home, repo } = newPlace();
  const said = await Promise.all([1, 2, 3].map(() => start("examples/embed.ts", home, repo)));
  expect(said.map((text) => /run (\d) is done/.exec(text)?.[1])).toEqual(expect.arrayContaining(["1", "2", "3"]));
  const pawl = join(project, "node_modules/pawl/bin/pawl");
  const { stdout } = await run(process.execPath, [pawl, "runs", "--json"], {
    env: { ...process.env, PAWL_HOME: home },
  });
  expect(JSON.parse(stdout)).toMatchObject({ runs: [{ status: "done" }, { status: "done" }, { status: "done" }] });
});

test("[LB8] a program exits by itself, after close in the middle of a run, and without close when no run is active", async () => {
  const { home, repo } = newPlace();
  const single = '{ pawl: 1, id: "s", agents: { a: {} }, steps: [{ id: "w", agent: "a", input: "x" }] }';
  writeFileSync(
    join(project, "leaving.ts"),
    `import { openPawl } from "pawl";
     const never = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
     const pawl = await openPawl({ executors: { never } });
     const run = await pawl.start({ workflow: ${single}, task: "x", executor: "never", repo: process.argv[2] });
     for await (const event of run.events()) if (event.type === "attempt_began") break;
     await run.events().next();
     await pawl.close();
     console.log("closed");`,
  );
  expect(await start("leaving.ts", home, repo)).toBe("closed\n");
  writeFileSync(
    join(project, "forgetting.ts"),
    `import { openPawl } from "pawl";
     const pawl = await openPawl({ executors: { ok: () => "STATUS: done" } });
     const run = await pawl.start({ workflow: ${single}, task: "x", executor: "ok", repo: process.argv[2] });
     console.log((await run.wait()).run.status);
     const events = run.events({ until: "over" });
     await events.next();`,
  );
  expect(await start("forgetting.ts", home, repo)).toBe("done\n");
});

test("[LB15] the package has one entry point, and the command line still works", () => {
  const { exports, bin } = JSON.parse(readFileSync(join(project, "node_modules/pawl/package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
    readonly bin: unknown;
  };
  expect(Object.keys(exports)).toEqual([".", "./package.json"]);
  expect(bin).toEqual({ pawl: "bin/pawl" });
});
