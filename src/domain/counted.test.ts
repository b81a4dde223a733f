import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test("[CM68] a number and its noun agree", () => {
  expect([0, 1, 2].map((count) => counted(count, "attempt"))).toEqual(["0 attempts", "1 attempt", "2 attempts"]);
  expect([0, 1, 2].map((count) => counted(count, "story", "stories"))).toEqual(["0 stories", "1 story", "2 stories"]);
});
