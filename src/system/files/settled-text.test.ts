import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { readSettled } from "./settled-text.ts";

/** A file whose text is remembered by now. */
async function settled() {
  const file = join(tempDir(), "HEAD");
  writeFileSync(file, "one\n");
  const writtenAt = Date.now();
  await until(() => Date.now() > writtenAt + 100);
  expect(readSettled(file)).toBe("one\n");
  return file;
}

test("[GP1] a file that is written, replaced or removed is read again, also where its size stays the same", async () => {
  const file = await settled();
  expect(readSettled(file)).toBe("one\n");
  writeFileSync(file, "two\n");
  expect(readSettled(file)).toBe("two\n");
  writeFileSync(`${file}.lock`, "six\n");
  renameSync(`${file}.lock`, file);
  expect(readSettled(file)).toBe("six\n");
  rmSync(file);
  expect(readSettled(file)).toBeNull();
});

test("[GP1] a file that changes many times within one tick of the clock is never behind", async () => {
  const file = await settled();
  for (let count = 100; count < 400; count += 1) {
    writeFileSync(file, `${count}\n`);
    expect(readSettled(file)).toBe(`${count}\n`);
  }
});

test("[GP1 WS40] a link in the place of a known file is not followed, and what cannot be read counts as none", async () => {
  const file = await settled();
  const other = join(tempDir(), "other");
  writeFileSync(other, "one\n");
  rmSync(file);
  symlinkSync(other, file);
  expect(readSettled(file)).toBeNull();
  rmSync(file);
  mkdirSync(file);
  expect(readSettled(file)).toBeNull();
  chmodSync(file, 0o700);
  expect(readSettled(join(file, "missing"))).toBeNull();
});
