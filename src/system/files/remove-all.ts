// Directories of ours. Owns: removing them for good.

import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes a directory of ours, also one with read-only directories in it, as some package caches have. */
export function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    makeWritable(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function makeWritable(path: string): void {
  chmodSync(path, 0o700);
  for (const child of readdirSync(path, { withFileTypes: true })) {
    if (child.isDirectory()) makeWritable(join(path, child.name));
  }
}
