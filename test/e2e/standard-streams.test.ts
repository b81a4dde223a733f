// Where the output of a command goes: a full disk, a reader that leaves, and one that is slow.

import { type ChildProcess, type StdioOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type Site, writeAt } from "../support/pawl.ts";

const program = join(import.meta.dirname, "../../bin/pawl");

function startAt(site: Site, args: readonly string[], stdio: StdioOptions): ChildProcess {
  const env = { PATH: process.env["PATH"], PAWL_HOME: site.home };
  return spawn(process.execPath, [program, ...args], { cwd: site.repo, env, stdio });
}

/** What it said on the one that is no full disk, and its exit code. */
async function withFull(stream: "stdout" | "stderr", site: Site, ...args: readonly string[]) {
  const full = openSync("/dev/full", "w");
  const child = startAt(site, args, stream === "stdout" ? ["ignore", full, "pipe"] : ["ignore", "pipe", full]);
  let said = "";
  (child.stdout ?? child.stderr)?.on("data", (bytes: Buffer) => (said += bytes.toString()));
  await once(child, "close");
  return { code: child.exitCode, said };
}

const isLinux = process.platform === "linux";

test.runIf(isLinux)(
  "[CM163] a full disk behind stdout is said, without a stack, and with what went wrong before it",
  async () => {
    const site = newSite();
    for (const args of [["help"], ["workflow", "list", "--json"]]) {
      const { code, said } = await withFull("stdout", site, ...args);
      expect({ code, said }).toEqual({
        code: 1,
        said: expect.stringMatching(/^error\[OUTPUT_FAILED\]: .*no space.*\nhint: .+\n$/),
      });
    }
    const { said } = await withFull("stdout", site, "status", "--json");
    expect(said).toContain("error[NOT_FOUND]");
    expect(said).not.toMatch(/^ +at /m);
  },
);

test.runIf(isLinux)(
  "[CM163] a full disk behind stderr changes nothing, for a command that looks and for one that drives",
  async () => {
    const site = newSite();
    expect(await withFull("stderr", site, "status")).toEqual({ code: 5, said: "" });
    const agent = writeAt(site, "agent.sh", "cat > /dev/null; echo STATUS: done");
    const file = writeAt(site, "one.yml", "pawl: 1\nid: one\nagents: { w: {} }\nsteps: [{ id: work, agent: w }]\n");
    expect(await withFull("stderr", site, "run", file, "x", "--executor", `command: sh ${agent}`)).toMatchObject({
      code: 0,
    });
    expect(await site.json(["status", "1"])).toMatchObject({ run: { status: "done" } });
  },
);

// Libuv makes the standard streams of what it starts wait; a shell or an editor may not. Perl comes with git.
const letsNoneWait = "use Fcntl; fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK) or die $!; exec @ARGV";
const hasPerl = spawnSync("perl", ["-e", "1"]).status === 0;

test.runIf(hasPerl)("[CM163] a reader that is slow, on a pipe that lets no writer wait, gets everything", async () => {
  const site = newSite();
  const steps = Array.from(
    { length: 2_000 },
    (_, index) => `  - { id: s${index}, agent: w, input: ${"x".repeat(200)} }\n`,
  );
  const file = writeAt(site, "big.yml", `pawl: 1\nid: big\nagents: { w: {} }\nsteps:\n${steps.join("")}`);
  const show = ["workflow", "show", file, "--json"];
  const whole = await pawl(show, { home: site.home, cwd: site.repo });
  expectCode(whole, 0);

  const env = { PATH: process.env["PATH"], PAWL_HOME: site.home };
  const words = ["-e", letsNoneWait, process.execPath, program, ...show];
  const child = spawn("perl", words, { cwd: site.repo, env, stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  // Some bytes, then a pause: a pipe has room for a tenth of it all.
  child.stdout.on("data", (bytes: Buffer) => {
    said += bytes.toString();
    child.stdout.pause();
    setTimeout(() => child.stdout.resume(), 5);
  });
  await once(child, "close");
  expect(said).toBe(whole.stdout);
});
