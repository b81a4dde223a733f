import { expect, test } from "vitest";
import { localTime } from "./local-time.ts";

test("[WY7] a time is that of this machine's zone, with the day only where it is another one", () => {
  const at = new Date(2026, 0, 31, 14, 5).getTime();
  expect(localTime(at, new Date(2026, 0, 31, 9, 0).getTime())).toBe("14:05");
  expect(localTime(at, new Date(2026, 1, 1, 0, 1).getTime())).toBe("2026-01-31 14:05");
});
