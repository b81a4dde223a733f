// The readers by the kind of file that they read.

import { readBusinessTest } from "./business-test.ts";
import type { ReadResult } from "./reading.ts";
import { readReview } from "./review.ts";
import { readTestResults } from "./test-results.ts";
import { readUat } from "./uat.ts";
import { readVerification } from "./verification.ts";

export const resultReaders = {
  verification: readVerification,
  review: readReview,
  "business-test": readBusinessTest,
  uat: readUat,
  "test-results": readTestResults,
} as const satisfies Readonly<Record<string, ReadResult>>;

export type ResultKind = keyof typeof resultReaders;
