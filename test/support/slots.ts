// Slots for tests: a repository with trees for stories, and a git that a test can replace.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IntegrationRequest } from "../../src/workspaces/integration/integration.ts";
import { ensureSlot, enterStory } from "../../src/workspaces/slots/slot.ts";
import { byProducts } from "../../src/workspaces/trees/by-products.ts";
import { runGit, tempDir } from "./repository.ts";

export interface SlotWorld {
  readonly repo: string;
  readonly home: string;
  readonly slot: (number: number) => string;
  readonly parked: (story: string) => string;
  /** Makes the slot if it is missing, and lets the story enter it at the tip of main. */
  readonly enter: (story: string, slot?: number) => Promise<{ path: string; branch: string; fresh: boolean }>;
  readonly request: (story: string, more?: Partial<IntegrationRequest>) => IntegrationRequest;
}

export function slotsFor(repo: string): SlotWorld {
  const home = tempDir("pawl-home-");
  const floor = runGit(repo, "rev-parse", "main");
  const slot = (number: number) => join(home, "trees", `r1-${number}`);
  const parked = (story: string) => join(home, "parked", `${story}.json`);
  return {
    repo,
    home,
    slot,
    parked,
    enter: async (story, number = 1) => {
      const path = slot(number);
      const base = runGit(repo, "rev-parse", "main");
      await ensureSlot({ run: "r1", repo, path, base });
      const wanted = { run: "r1", repo, path, story, branch: `pawl/1/${story}`, base, parked: parked(story) };
      return { path, ...(await enterStory(wanted)) };
    },
    request: (story, more = {}) => ({
      run: "r1",
      story,
      repo,
      path: slot(1),
      base: "main",
      baseAt: floor,
      floor,
      side: "pawl/1-side",
      message: `feat: ${story}`,
      ignoring: [],
      isByProduct: byProducts(["reports/"]),
      intentFile: join(home, "intent.json"),
      check: async () => null,
      isWanted: async () => true,
      ...more,
    }),
  };
}

/** A PATH with a `git` in front of the real one; `script` may use $real and "$@". */
export function shimGit(script: string): string {
  const real = runGit(tempDir(), "--exec-path");
  const dir = tempDir("pawl-shim-");
  writeFileSync(join(dir, "git"), `#!/bin/bash\nreal=${join(real, "git")}\n${script}\n`);
  chmodSync(join(dir, "git"), 0o755);
  return `${dir}:${process.env["PATH"]}`;
}
