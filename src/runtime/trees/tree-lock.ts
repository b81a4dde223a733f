// Tree locks. Owns: letting one process at a time make or remove the tree of a slot. Trees are made ahead of their stories, so no
// lease guards them, and a run may have two drivers.

import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withFileLock } from "../../system/files/file-lock.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { letGitEnd } from "../../workspaces/git/running.ts";
import { lifeOfWorker, ownWorker, processOf } from "../loop/worker.ts";

const lookEveryMs = 20;

/** Calls `act` while no other process does. The lock of a dead process is free as soon as its git has ended. */
export async function withTreeLock(path: string, act: () => Promise<void>): Promise<void> {
  const note = `${path}.turn`;
  mkdirSync(dirname(path), { recursive: true });
  await claim(note);
  try {
    await act();
  } finally {
    rmSync(note, { force: true });
  }
}

async function claim(note: string): Promise<void> {
  for (;;) {
    const holder = await withFileLock(`${note}.lock`, () => claimNow(note));
    if (holder === null) return;
    if (lifeOfWorker(holder) !== "dead") {
      await sleep(lookEveryMs);
      continue;
    }
    const worker = processOf(holder);
    if (worker !== null) await letGitEnd(worker);
    await withFileLock(`${note}.lock`, () => {
      if (holderIn(note) === holder) rmSync(note, { force: true });
    });
  }
}

/** The worker that holds the lock; null if it is this process from now on. */
function claimNow(note: string): string | null {
  const holder = holderIn(note);
  if (holder === null) writeJson(note, { by: ownWorker() });
  return holder;
}

function holderIn(note: string): string | null {
  const read = readJson(note) as { readonly by?: unknown } | null;
  return typeof read?.by === "string" ? read.by : null;
}
