// Removing directories. Owns: removing one with everything in it.

import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Also removes read-only directories, which some package caches have. */
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
