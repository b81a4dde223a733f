import { appendFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { countGit } from "../../../test/support/git-count.ts";
import { makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { gitSettings } from "./settings.ts";

/** An answer is kept only for files that are a moment old, because time stamps are as coarse as the tick of the kernel. */
const older = () => sleep(150);

test("[GP2] an answer holds until a file of the configuration changes, wherever it is", async () => {
  const repo = makeRepository();
  const home = tempDir();
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", join(home, ".config"));
  await older();
  const count = countGit();
  expect((await gitSettings(repo)).get("user.name")).toBe("Test");
  expect((await gitSettings(repo)).get("user.name")).toBe("Test");
  expect(count()).toHaveLength(1);

  // By an agent, in the repository's file: seen at once, and not kept before the file is old enough.
  appendFileSync(join(repo, ".git/config"), '[merge "mine"]\n\tdriver = touch ran\n');
  expect((await gitSettings(repo)).get("merge.mine.driver")).toBe("touch ran");
  // A file that did not exist.
  writeFileSync(join(home, ".gitconfig"), "[user]\n\temail = home@example.invalid\n[extra]\n\tflag\n");
  expect((await gitSettings(repo)).get("extra.flag")).toBe("true");
  // The same size and the same time as before: the inode or the change time differ.
  utimesSync(join(home, ".gitconfig"), 1, 1);
  writeFileSync(join(home, ".gitconfig"), "[user]\n\temail = home@example.invalid\n[extra]\n\tflat\n");
  utimesSync(join(home, ".gitconfig"), 1, 1);
  expect((await gitSettings(repo)).get("extra.flat")).toBe("true");
});

test("[GP2] a configuration with includes is asked for each time", async () => {
  const repo = makeRepository();
  const included = join(tempDir(), "included");
  runGit(repo, "config", "include.path", included);
  await older();
  const count = countGit();
  expect((await gitSettings(repo)).get("merge.x.driver")).toBe(undefined);
  writeFileSync(included, '[merge "x"]\n\tdriver = true\n');
  expect((await gitSettings(repo)).get("merge.x.driver")).toBe("true");
  expect(count()).toHaveLength(2);
});
