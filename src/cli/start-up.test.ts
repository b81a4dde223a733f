import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const importing = /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm;

/** Everything that is loaded together with the file, and not later. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name = ""] of readFileSync(file, "utf8").matchAll(importing)) {
    if (name.startsWith(".")) loadedWith(join(dirname(file), name), seen);
    else seen.add(name);
  }
  return seen;
}

test("[HT41] only the service loads what serves HTTP, and not before its first request", () => {
  for (const file of ["main.ts", "commands/looking/status.ts", "commands/running/run.ts", "commands/setup/token.ts"]) {
    const loaded = loadedWith(join(import.meta.dirname, file));
    expect([...loaded].filter((name) => /^(?:hono|@hono)\b|\/src\/http\//.test(name))).toEqual([]);
  }
  const waiting = ["../http/server.ts", "../application/schedules/service.ts"];
  for (const file of waiting) {
    const loaded = loadedWith(join(import.meta.dirname, file));
    expect([...loaded].filter((name) => /^(?:hono|@hono|zod|yaml)\b/.test(name))).toEqual([]);
  }
  expect([...loadedWith(join(import.meta.dirname, "../http/answer.ts"))]).toContain("hono");
});

test("looking at runs loads no reader of YAML or of files that others wrote: each costs milliseconds at every start", () => {
  const loaded = loadedWith(join(import.meta.dirname, "commands/looking/status.ts"));
  expect(loaded.size).toBeGreaterThan(50);
  expect([...loaded].filter((name) => /^(?:zod|yaml|node:crypto|node:http)/.test(name))).toEqual([]);
});
