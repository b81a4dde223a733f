import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { withFileLock } from "./file-lock.ts";

const module = JSON.stringify(new URL("./file-lock.ts", import.meta.url).href);

function startModule(script: string) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("[RA19 C69] one at a time, also right after a holder has died", async () => {
  const dir = tempDir();
  const counter = join(dir, "counter");
  writeFileSync(counter, "0");
  const workers = Array.from({ length: 8 }, () =>
    startModule(`import { readFileSync, writeFileSync } from "node:fs";
      import { withFileLock } from ${module};
      const counter = ${JSON.stringify(counter)};
      for (let time = 0; time < 40; time++) {
        await withFileLock(counter + ".lock", () => {
          const count = Number(readFileSync(counter, "utf8"));
          writeFileSync(counter, String(count + 1));
          // As if it had been killed: its lock is still there when it is gone, and all others find it at once.
          if (time === 39) process.exit(0);
        });
      }`),
  );
  await Promise.all(workers.map((worker) => once(worker, "exit")));
  expect(readFileSync(counter, "utf8")).toBe(String(8 * 40));
});

test("[RA19] a lock is given back when what was done under it fails", async () => {
  const lock = join(tempDir(), "a.lock");
  const fail = () => {
    throw new Error("no");
  };
  await expect(withFileLock(lock, fail)).rejects.toThrow("no");
  expect(await withFileLock(lock, () => 7)).toBe(7);
});
