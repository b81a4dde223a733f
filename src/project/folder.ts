// A folder of a project. Owns: reading its files within limits: no link is followed and no huge file is read.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const largestManifestBytes = 1024 * 1024;

/** The files of one directory, as far as Pawl reads them. */
export interface Folder {
  readonly names: ReadonlySet<string>;
  /** Null when there is no such file, or it is too large to be what its name says. */
  text(name: string): string | null;
}

/** Links are not followed: they may lead anywhere. */
export function folderAt(root: string): Folder {
  const entries = readdirSync(root, { withFileTypes: true });
  const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  return {
    names,
    text(name) {
      const file = join(root, name);
      if (!names.has(name) || statSync(file).size > largestManifestBytes) return null;
      try {
        return readFileSync(file, "utf8");
      } catch {
        return null; // no permission
      }
    },
  };
}

/** The first of the names that exists. */
export function first({ names }: Folder, ...wanted: readonly string[]): string | null {
  return wanted.find((name) => names.has(name)) ?? null;
}

export function has(folder: Folder, ...wanted: readonly string[]): boolean {
  return first(folder, ...wanted) !== null;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The fields of a JSON object; null for any other text. */
export function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? (value as JsonObject) : {};
}
