// The order of the test files: those that take longest first, so that no worker stands idle at the end. Without it a short file with a
// long campaign is the last one.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders, from the slowest files on; all others come last. */
const slowest = [
  "/test/chaos/",
  "/test/library/",
  "/test/e2e/",
  "/src/workspaces/",
  "/src/runtime/",
  "/src/application/",
];

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- It is no array.
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = slowest.findIndex((folder) => moduleId.includes(folder));
  return rank === -1 ? slowest.length : rank;
}
