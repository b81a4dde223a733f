import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { systemClock } from "../../system/clock.ts";
import { makePrivateHome } from "../../system/private-home.ts";
import { openSqliteStore } from "./open.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

const umask = process.umask();
afterEach(() => process.umask(umask));

test("[SO60] a home and a store are private whatever the umask is, with the files that SQLite makes beside it", async () => {
  process.umask(0);
  const home = join(tempDir(), "a", "home");
  expect(makePrivateHome(home)).toBe(null);
  const store = await openSqliteStore(join(home, "pawl.db"), systemClock);
  try {
    const names = ["", "pawl.db", "pawl.db-wal", "pawl.db-shm"];
    expect(names.map((name) => modeOf(join(home, name)))).toEqual(["700", "600", "600", "600"]);
  } finally {
    await store.close();
  }
});

test("[SO60] a wide home of the same owner is narrowed, and that is said; so is a store that an older version made", async () => {
  const home = join(tempDir(), "home");
  mkdirSync(home);
  chmodSync(home, 0o755);
  expect(makePrivateHome(home)).toBe(`${home} could be read by other users (mode 755); now only you can (mode 700)`);
  expect(makePrivateHome(home)).toBe(null);
  const file = join(home, "pawl.db");
  writeFileSync(file, "", { mode: 0o644 });
  chmodSync(file, 0o644);
  await (await openSqliteStore(file, systemClock)).close();
  expect([modeOf(home), modeOf(file)]).toEqual(["700", "600"]);
});

test("[SO60] a directory that users share, a file, and a place that has no directories are refused in words", async () => {
  const shared = join(tempDir(), "shared");
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  expect(() => makePrivateHome(shared)).toThrow("it is a directory that several users share");
  expect(modeOf(shared)).toBe("777");
  const file = join(tempDir(), "file");
  writeFileSync(file, "", { mode: 0o644 });
  expect(() => makePrivateHome(file)).toThrow("it is not a directory");
  const refused = { code: "STORE_UNUSABLE", hint: expect.stringContaining("PAWL_HOME") };
  for (const place of ["/proc/self/pawl", "/proc/nothing/pawl", "/dev/null/pawl", "/dev/null"]) {
    expect(() => makePrivateHome(place)).toThrow(expect.objectContaining(refused));
    await expect(openSqliteStore(join(place, "pawl.db"), systemClock)).rejects.toMatchObject({
      code: "STORE_UNUSABLE",
    });
  }
});

test.skipIf(process.getuid?.() !== 0)("[SO60] a home or a store of another user is refused", async () => {
  const home = join(tempDir(), "home");
  mkdirSync(home, { mode: 0o700 });
  const file = join(home, "pawl.db");
  writeFileSync(file, "");
  chownSync(file, 65_534, 65_534);
  await expect(openSqliteStore(file, systemClock)).rejects.toThrow("it belongs to another user (uid 65534; you are 0)");
  chownSync(home, 65_534, 65_534);
  expect(() => makePrivateHome(home)).toThrow("it belongs to another user");
});
