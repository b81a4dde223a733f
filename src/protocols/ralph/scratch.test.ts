import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir, writeFiles } from "../../../test/support/repository.ts";
import { storyId } from "../../domain/ids.ts";
import type { Clock } from "../../system/clock.ts";
import { ownIdentity } from "../../system/process/identity.ts";
import { appendScratch, archiveScratch, readScratch } from "./scratch.ts";
import { sharedIn, storyScratch } from "./shared.ts";

const here = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

/** A process that runs `script` as a module. */
function start(script: string): ChildProcess {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const entriesOf = (text: string) => text.trim().split("\n\n").toSorted();
const litter = (dir: string) => readdirSync(dir).filter((name) => name.includes("lock"));

test("[RA18 C9 C108] entries that many processes add at once all survive, whole and apart", async () => {
  const dir = tempDir();
  const file = join(dir, "scratch.md");
  const entry = (name: string) => `## ${name}\n${"finding ".repeat(2_000)}\nend of ${name}`;
  const writers = Array.from({ length: 10 }, (_, n) =>
    start(`import { appendScratch } from ${here("./scratch.ts")};
      for (const part of ["a", "b", "c"]) await appendScratch(${JSON.stringify(file)},
        "## ${n}" + part + "\\n" + "finding ".repeat(2000) + "\\nend of ${n}" + part);`),
  );
  const exits = await Promise.all(writers.map(async (writer) => (await once(writer, "exit"))[0] as number));
  expect(exits).toEqual(writers.map(() => 0));
  const names = Array.from({ length: 10 }, (_, n) => ["a", "b", "c"].map((part) => `${n}${part}`)).flat();
  expect(entriesOf(readFileSync(file, "utf8"))).toEqual(names.map(entry).toSorted());
  expect(litter(dir)).toEqual([]);
});

test("[RA18] an entry is separated from other text, and an empty one is ignored", async () => {
  const file = join(tempDir(), "deep/scratch.md");
  await appendScratch(file, "  first\nline\n\n");
  await appendScratch(file, " \n");
  writeFileSync(file, `${readFileSync(file, "utf8")}by hand, without a line end`);
  await appendScratch(file, "second");
  expect(readFileSync(file, "utf8")).toBe("first\nline\nby hand, without a line end\n\nsecond\n");
});

test("[RA19 C69] a killed holder releases its lock", async () => {
  const dir = tempDir();
  const file = join(dir, "scratch.md");
  const held = join(dir, "held");
  const holder = start(`import { writeFileSync } from "node:fs";
    import { withFileLock } from ${here("../../system/files/file-lock.ts")};
    await withFileLock(${JSON.stringify(`${file}.lock`)}, () => {
      writeFileSync(${JSON.stringify(held)}, "");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`);
  await expect.poll(() => existsSync(held)).toBe(true);
  const added = [appendScratch(file, "one"), appendScratch(file, "two"), appendScratch(file, "three")];
  expect(existsSync(file)).toBe(false);
  holder.kill("SIGKILL");
  await Promise.all(added);
  expect(entriesOf(readFileSync(file, "utf8"))).toEqual(["one", "three", "two"]);
  expect(litter(dir)).toEqual([]);
});

/** Sleeping takes no real time, but advances the clock. */
function fastClock(): Clock & { passed: number } {
  return {
    passed: 0,
    now() {
      return this.passed;
    },
    steady() {
      return this.passed;
    },
    async sleep(ms) {
      this.passed += ms;
      await Promise.resolve();
    },
  };
}

test("[RA19 C69] after waiting 60 seconds for a living holder the error names it and says what to do", async () => {
  const file = join(tempDir(), "scratch.md");
  writeFileSync(`${file}.lock`, JSON.stringify({ ...ownIdentity(), host: "another-machine" }));
  const clock = fastClock();
  await expect(appendScratch(file, "x", { clock })).rejects.toMatchObject({
    code: "WORKSPACE_BUSY",
    message: `scratch.md.lock has been held by process ${process.pid} on another-machine for 60 seconds`,
    hint: expect.stringContaining("remove") as string,
  });
  expect(clock.passed).toBeGreaterThanOrEqual(60_000);
  expect(clock.passed).toBeLessThan(61_000);
  expect(existsSync(file)).toBe(false);
  expect(existsSync(`${file}.lock`)).toBe(true);
});

test("[RA19] a lock file without an owner, as other programs leave behind, blocks no process", async () => {
  const file = join(tempDir(), "scratch.md");
  for (const text of ["", "123", '{"pid": "x"}']) {
    writeFileSync(`${file}.lock`, text);
    await appendScratch(file, `after ${text || "nothing"}`, { clock: fastClock() });
  }
  expect(entriesOf(readFileSync(file, "utf8"))).toHaveLength(3);
});

test("[RA20 C64] an entry with a mark is added once, and prompts do not show the mark", async () => {
  const file = join(tempDir(), "scratch.md");
  for (let time = 0; time < 3; time++) await appendScratch(file, "US-001 failed", { mark: "run1/US-001/step-005/1" });
  await appendScratch(file, "US-001 failed", { mark: "run1/US-001/step-005/2" });
  expect(readScratch(file, 10_000)).toBe("US-001 failed\n\nUS-001 failed");
  expect(readFileSync(file, "utf8")).toContain("<!-- pawl:run1/US-001/step-005/2 -->");
});

test("[RA20] a mark from outside cannot end its comment", async () => {
  const file = join(tempDir(), "scratch.md");
  await appendScratch(file, "x", { mark: "a --> b\n<!--" });
  expect(readScratch(file, 100)).toBe("x");
});

test("[RA21 C11] of a long file the newest lines are read, with a note about the others", () => {
  const file = join(tempDir(), "scratch.md");
  expect(readScratch(file, 100)).toBe("");
  writeFileSync(file, Array.from({ length: 1_000 }, (_, n) => `fünf ${n}`).join("\n"));
  const size = statSync(file).size;
  const read = readScratch(file, 100);
  const [note, , ...lines] = read.split("\n");
  expect(lines.at(-1)).toBe("fünf 999");
  expect(lines.every((line) => /^fünf \d+$/.test(line))).toBe(true);
  const kept = Buffer.byteLength(lines.join("\n"));
  expect(kept).toBeLessThanOrEqual(100);
  expect(note).toBe(`(the first ${size - kept} bytes of scratch.md are left out)`);
  expect(readScratch(file, 100_000).split("\n")).toHaveLength(1_000);
});

test("[RA21] an unreadable file does not stop a prompt", () => {
  const dir = tempDir();
  mkdirSync(join(dir, "scratch.md"));
  expect(readScratch(join(dir, "scratch.md"), 100)).toBe("(scratch.md is a directory)");
  writeFileSync(join(dir, "binary.md"), Uint8Array.of(0xff, 0, 0x41));
  expect(readScratch(join(dir, "binary.md"), 100)).toContain("A");
});

test("[RA22 C10] the file of a finished story goes to the archive and replaces nothing there", () => {
  const shared = sharedIn(tempDir());
  const story = storyId("US-001");
  expect(archiveScratch(shared, story)).toBe(null);
  for (const text of ["first life", "second life", "third life"]) {
    writeFiles(shared.dir, { "scratch_US-001.md": text, "scratch_US-002.md": "another" });
    expect(readFileSync(archiveScratch(shared, story) ?? "", "utf8")).toBe(text);
    expect(existsSync(storyScratch(shared, story))).toBe(false);
  }
  expect(readdirSync(shared.scratchArchive).toSorted()).toEqual([
    "scratch_US-001.2.md",
    "scratch_US-001.3.md",
    "scratch_US-001.md",
  ]);
  expect(existsSync(storyScratch(shared, storyId("US-002")))).toBe(true);
});
