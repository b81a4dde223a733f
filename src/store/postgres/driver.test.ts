// Without the driver's package.

import { expect, test, vi } from "vitest";
import { systemClock } from "../../system/clock.ts";
import { openPostgresStore } from "./open.ts";

vi.mock("pg", () => {
  throw new Error("Cannot find package 'pg'");
});

test("[SO68] a store on PostgreSQL without the package pg says what to install", async () => {
  const owner = { id: "a-home", host: "here", dir: "/home/of/tests", version: "1", joins: false };
  await expect(openPostgresStore("postgres://u@h/d", systemClock, owner)).rejects.toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("`pg`"),
    hint: expect.stringContaining("npm install"),
  });
});
