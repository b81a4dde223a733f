// `service` in configuration files.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agents } from "../../../test/support/agents.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { type Config, readConfig } from "./config.ts";

async function configOf(own: string, theirs = ""): Promise<Config> {
  const dir = tempDir();
  const file = join(dir, "config.yml");
  writeFileSync(file, own);
  mkdirSync(join(dir, ".pawl"));
  writeFileSync(join(dir, ".pawl", "config.yml"), theirs);
  return await readConfig(file, dir, agents);
}

test.each([
  ["", null],
  ["service: {}", null],
  ["service: { public_url: https://pawl.example.com/ }", "https://pawl.example.com"],
  ["service: { public_url: http://10.0.0.7:7295/pawl// }", "http://10.0.0.7:7295/pawl"],
])("[GL1] where people reach the service: %j", async (written, publicUrl) => {
  expect((await configOf(written)).service).toEqual({ publicUrl });
});

test.each([
  "pawl.example.com",
  "ftp://example.com",
  "https://me:secret@example.com",
  "https://a.b/?c",
  "https://a.b/#c",
])("[GL1] %s is refused, with its place", async (url) => {
  await expect(configOf(`service: { public_url: ${JSON.stringify(url)} }`)).rejects.toThrow("service.public_url");
});

test("[GL1] a repository cannot say where its users' answers go", async () => {
  const { service, warnings } = await configOf("", "service: { public_url: https://evil.example.com }");
  expect(service).toEqual({ publicUrl: null });
  expect(warnings).toContainEqual(expect.stringContaining("may not say where people answer"));
});

test("[TL2] only the user's own file turns telemetry on or off", async () => {
  expect((await configOf("")).telemetry).toBe(false);
  expect((await configOf("telemetry: true")).telemetry).toBe(true);
  const theirs = await configOf("", "telemetry: true");
  expect(theirs.telemetry).toBe(false);
  expect(theirs.warnings).toContainEqual(expect.stringContaining("may not turn telemetry on or off"));
  expect((await configOf("telemetry: true", "telemetry: false")).telemetry).toBe(true);
});
