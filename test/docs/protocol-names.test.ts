// Checks that no source names a protocol, except the protocol's own folder, its commands and the composition root.

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sources = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !/\.(test|contract)\.ts$/.test(file));

/** The files that may name it. antfarm is also a spelling of workflow files, of commands and of a route; the sessions of a lifecycle are in `.ralph`. */
const profiles = {
  ralph:
    /^src\/(app\.ts|protocols\/(ralph|lifecycle)\/|application\/(ralph|lifecycle)\/|application\/agentic\/(queue|add-story)\.ts|cli\/commands\/ralph\/|cli\/loaders\.ts)/,
  agentic:
    /^src\/(app\.ts|library\/project-adapter\.ts|protocols\/agentic\/|workflows\/|application\/agentic\/|http\/routes\/projects\.ts|cli\/commands\/agentic\/|cli\/loaders\.ts)/,
  antfarm: /^src\/(app\.ts|protocols\/antfarm\/|workflows\/|application\/|cli\/|http\/routes\/)/,
};

test.each(Object.entries(profiles))("only its own files name %s", (name, own) => {
  const others = sources.filter((file) => !own.test(file) && nameIn(file, name));
  expect(others).toEqual([]);
  expect(sources.some((file) => own.test(file) && nameIn(file, name))).toBe(true);
});

/** A link to a guide names a page, not a protocol. */
function nameIn(file: string, name: string): boolean {
  const text = readFileSync(root + file, "utf8").replaceAll(/docs\/guides\/[\w-]+\.md/g, "");
  return new RegExp(name, "i").test(text);
}
