// What surrounds the commands: which Node runs them, what a machine lacks, colour, when the bundle is used, and the published
// package.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isAlive, processIdentity } from "../../src/system/process/identity.ts";
import { bundledClone, copyOfClone, packInto } from "../support/packing.ts";
import { newSite, pawl, writeAt } from "../support/pawl.ts";
import { tempDir } from "../support/repository.ts";
import { until } from "../support/until.ts";
import { pairWorkflow } from "../support/workflows.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** Starts `bin/pawl` with a Node that claims to be another version. */
const disguise = `
  Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0", sqlite: undefined } });
  process.argv.splice(1, 0, "pawl");
  require(${JSON.stringify(join(root, "bin/pawl"))});`;

async function startedByOldNode(env: Readonly<Record<string, string>>): Promise<{ code: number; said: string }> {
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

test("[CM18] an older Node hands over to PAWL_NODE, or to the Node of the package; a Node that does not start is reported", async () => {
  for (const env of [{ PAWL_NODE: process.execPath }, {}]) {
    const called = await startedByOldNode(env);
    expect(called).toMatchObject({ code: 0, said: expect.stringContaining("feature-dev") });
  }
  const missing = await startedByOldNode({ PAWL_NODE: join(root, "no-such-node") });
  expect(missing.code).toBe(4);
  expect(missing.said).toContain("error[NODE_TOO_OLD]");
  expect(missing.said).toContain("hint:");
});

test("[CM18] kill -9 of a pawl that an older Node started ends the run's driver and its agent, too", async () => {
  const site = newSite();
  const agent = writeAt(site, "agent.sh", 'cat > /dev/null; echo $PPID $$ > "$PAWL_SHARED/pids"; sleep 600');
  const args = ["run", writeAt(site, "pair.yml", pairWorkflow), "x", "--executor", `command: sh ${agent}`];
  const launcher = spawn(process.execPath, ["-e", disguise, ...args], {
    cwd: site.repo,
    env: { PATH: process.env["PATH"], PAWL_HOME: site.home, PAWL_NODE: process.execPath },
    stdio: "ignore",
  });
  const file = join(site.home, "pids");
  await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  const both = readFileSync(file, "utf8").trim().split(" ").map(Number).map(processIdentity);
  expect(both).not.toContain(null);
  launcher.kill("SIGKILL");
  await until(() => !both.some((each) => each !== null && isAlive(each)));
  const outcomes = await site.json<{ attempts: { outcome: string }[] }>(["logs", "1"]);
  expect(outcomes.attempts.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
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

test("[CM20] doctor reports a store that cannot be used once, as the store", async () => {
  const site = newSite();
  writeFileSync(join(site.home, "pawl.db"), "this is not a database");
  const called = await site.pawl("doctor");
  expect(called.code).toBe(4);
  expect(called.stdout.match(/^MISSING .*$/gm)).toEqual([expect.stringMatching(/^MISSING +store +.*damaged/)]);
});

test("[CM3 CM4] a home that cannot be written is something missing, not a defect", async () => {
  const site = newSite();
  writeFileSync(join(site.home, "workflows"), "not a directory");
  const called = await site.pawl("workflow", "install", "feature-dev");
  expect(called).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/^error\[STORE_UNUSABLE\]: .*workflows cannot be changed/),
  });
  expect(called.stderr).toContain("hint: make it writable");
});

test("[CM17] without a terminal there is no colour", async () => {
  const site = newSite();
  const called = await pawl(["status"], { home: site.home, env: { NO_COLOR: "" } });
  expect(called.stderr).toContain("error[NOT_FOUND]");
  expect(called.stdout + called.stderr).not.toContain("\u001b");
});

/** What a `pawl` in another directory prints, with its own home. */
async function started(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr } = await run(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"], PAWL_HOME: tempDir("pawl-home-"), ...env },
  });
  return { stdout, stderr };
}

test("[CM21] a clone runs its bundle, but not once a source has changed, and not with PAWL_SOURCE=1", async () => {
  const clone = await bundledClone();
  const program = join(clone, "bin/pawl");
  appendFileSync(join(clone, "dist/main.js"), 'process.stderr.write("bundle");\n');
  const saysBundle = async (env: Readonly<Record<string, string>>) => {
    const { stdout, stderr } = await started(program, ["workflow", "list"], env);
    expect(stdout).toContain("feature-dev");
    return stderr === "bundle";
  };
  expect(await saysBundle({})).toBe(true);
  expect(await saysBundle({ PAWL_SOURCE: "1" })).toBe(false);
  utimesSync(join(clone, "src/domain/error.ts"), new Date(), new Date());
  expect(await saysBundle({})).toBe(false);
});

test("[CM21] an install that cannot bundle succeeds, says so in one line, and the sources run", async () => {
  const clone = copyOfClone();
  const { stdout, stderr } = await run(process.execPath, ["scripts/prepare.js"], { cwd: clone });
  expect(stdout + stderr).toMatch(/^note: nothing was bundled \(.*rolldown.*\).*sources.*\n$/);
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  expect((await started(join(clone, "bin/pawl"), ["workflow", "list"])).stdout).toContain("feature-dev");
});

test("[CM162] an upgrade under a command that drives a run: it says so without a stack, and resume goes on with the new files", async () => {
  const clone = await bundledClone();
  const site = newSite();
  const [began, go] = [site.path("began"), site.path("go")];
  const agent = writeAt(
    site,
    "agent.sh",
    `cat > /dev/null; touch '${began}'; until [ -e '${go}' ]; do sleep 0.05; done; echo "STATUS: done"`,
  );
  const args = ["run", writeAt(site, "pair.yml", pairWorkflow), "x", "--executor", `command: sh ${agent}`];
  const env = { PATH: process.env["PATH"], PAWL_HOME: site.home };
  const driver = spawn(process.execPath, [join(clone, "bin/pawl"), ...args], { cwd: site.repo, env, stdio: "pipe" });
  const said: Buffer[] = [];
  driver.stderr.on("data", (bytes: Buffer) => said.push(bytes));
  await until(() => existsSync(began));
  renameSync(join(clone, "dist"), join(clone, "dist-before"));
  const ended = once(driver, "exit");
  writeFileSync(go, "");
  expect((await ended)[0]).toBe(4);
  const words = Buffer.concat(said).toString();
  expect(words).toMatch(/\nerror\[FILES_GONE\]: .+ upgraded or removed .+\nhint: .+`pawl resume`\n$/);
  expect(words).not.toMatch(/^ +at /m);
  await pawl(["resume", "1"], { home: site.home, cwd: site.repo });
  expect(await site.json(["status", "1"])).toMatchObject({ run: { status: "done" } });
});

test("[CM69] the package works alone, without the clone", async () => {
  const site = tempDir("pawl-installed-");
  const files = await packInto(site, await bundledClone());
  const folders = new Set(files.map((path) => path.replace(/\/.*/, "")));
  expect([...folders].toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "bin",
    "demo",
    "dist",
    "docs",
    "package.json",
    "workflows",
  ]);
  expect(files).not.toContain("dist/made-from.json");

  const installed = join(site, "node_modules/pawl");
  expectNoticesOf(installed);
  await expectNamedFilesIn(installed);
  const home = { PAWL_HOME: join(site, "home") };
  expect((await started(join(installed, "bin/pawl"), ["demo"], home)).stderr).toContain("run done");
  const { stdout } = await started(join(installed, "bin/pawl"), ["status", "--json"], home);
  expect(JSON.parse(stdout)).toMatchObject({ run: { number: 1, status: "done" } });
  await expectWordsWithoutFiles(installed, home);
});

/** [HT41] The package is removed under a service that nobody has called yet. */
async function expectWordsWithoutFiles(installed: string, home: Readonly<Record<string, string>>): Promise<void> {
  const up = spawn(process.execPath, [join(installed, "bin/pawl"), "up", "--port", "0", "--json"], {
    env: { ...home, PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [first] = (await once(up.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(first.toString()) as { readonly url: string };
  rmSync(join(installed, "dist"), { recursive: true });
  for (const _ of ["first", "second"]) {
    const called = await fetch(`${url}/api/v1/health`);
    expect(called.status).toBe(503);
    expect(await called.json()).toMatchObject({ code: "FILES_GONE", hint: expect.stringContaining("pawl up") });
  }
  const ended = once(up, "exit");
  up.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
}

/** Every guide that a message names is there; the message about a configuration is one of them. */
async function expectNamedFilesIn(installed: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  expect((await started(join(installed, "bin/pawl"), ["-v"])).stdout).toBe(`${version}\n`);
  const home = tempDir("pawl-home-");
  writeFileSync(join(home, "config.yml"), "nonsense: 1\n");
  const doctor = started(join(installed, "bin/pawl"), ["doctor"], { PAWL_HOME: home });
  const { stderr } = await doctor.catch((error: { stderr: string }) => error);
  const [, guide = ""] = /hint: configuration: (\S+\.md)/.exec(stderr) ?? [];
  expect(guide).toBe(join(installed, "docs/guides/configure.md"));
  const sources = globSync("src/**/*.ts", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"));
  const named = sources.flatMap((text) => [...text.matchAll(/\bguide\("([^"]+)"\)/g)].map(([, name]) => name));
  expect(named.length).toBeGreaterThan(2);
  for (const name of named) expect(join(installed, `docs/guides/${name}.md`)).toSatisfy(existsSync);
}

/** Every package that the source imports is in the bundle, and has its licence in the package. */
function expectNoticesOf(installed: string): void {
  const dist = join(installed, "dist");
  const text = globSync("src/**/*.{ts,tsx}", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"));
  const imported = new Set([...text.join("\n").matchAll(/ from "([^"./][^"\n]*)";$/gm)].map(([, name = ""]) => name));
  const { devDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    devDependencies: Readonly<Record<string, string>>;
    peerDependencies: Readonly<Record<string, string>>;
  };
  // Only tests use the first two. The others are installed beside Pawl by those who need them.
  const outside = new Set(["vitest", "fast-check", ...Object.keys(peerDependencies)]);
  const inside = Object.keys(devDependencies).filter((name) => imported.has(name) && !outside.has(name));
  const names = [...inside, "@preact/signals-core", "rolldown"];
  expect(names.length).toBeGreaterThan(8);
  const notices = readFileSync(join(dist, "LICENSES.txt"), "utf8").split(/^-{80}$/m);
  expect(notices.map((text) => /^(\S+) \d\S+ \(.+\)$/m.exec(text)?.[1])).toEqual(names.toSorted());
  for (const notice of notices) expect(notice).toMatch(/copyright[^]*(permission|license)/i);
}
