// New ids: they do not repeat, also where the supply of random bytes is filled again.

import { expect, test } from "vitest";
import { newAttemptId, newRunId, newToken } from "./ids.ts";

test("ids and tokens do not repeat, and have the length and the characters that they promise", () => {
  const made = Array.from({ length: 2_000 }, () => [newToken(), newAttemptId(), newRunId()]).flat();
  expect(new Set(made).size).toBe(made.length);
  expect(made.filter((id) => /^[\w-]{24}$|^at-[a-z0-9]{16}$|^[a-z][a-z0-9]{9}$/.test(id))).toHaveLength(made.length);
});
