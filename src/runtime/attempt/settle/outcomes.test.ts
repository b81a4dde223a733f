// What an attempt ends as when something of the runtime went wrong.

import { expect, test } from "vitest";
import { AppError } from "../../../domain/error.ts";
import { StopSwitch } from "../../stop-switch.ts";
import { failedWith } from "./outcomes.ts";

test("[RC43 WK49] an attempt whose process could not reach its store or repository for too long is lost, and uses up no limit of its step", () => {
  for (const code of ["STORE_UNUSABLE", "REPOSITORY_AWAY"] as const) {
    const away = new AppError(code, "it cannot be reached", { hint: "start it" });
    expect(failedWith(away, new StopSwitch())).toMatchObject({
      outcome: "lost",
      why: expect.stringContaining(away.message),
    });
  }
  const full = new AppError("STORE_FULL", "no disk space is left", { hint: "free some" });
  expect(failedWith(full, new StopSwitch())).toMatchObject({ outcome: "failed" });
});
