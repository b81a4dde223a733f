// Checks ARCHITECTURE.md: its table has every folder of src/, and the files that it names exist.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const rows = [...text.matchAll(/^\| (.+?) \| .+ \| (.*?)\|$/gm)].map(([, where = "", begin = ""]) => ({
  folders: quoted(where),
  begin: quoted(begin),
}));

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, inside = ""]) => inside);
}

test("the table lists every folder of src/, and no other", () => {
  const named = rows.flatMap(({ folders }) => folders).filter((folder) => /^src\/\w+\/$/.test(folder));
  const there = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named.toSorted()).toEqual(there.map(({ name }) => `src/${name}/`).toSorted());
});

test("the files and folders to begin with exist", () => {
  const named = rows.flatMap(({ folders: [folder = ""], begin }) =>
    begin.map((name) => (folder.startsWith("src/") ? join(folder, name) : name)),
  );
  const places = ["", "workflows"];
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !places.some((place) => existsSync(join(root, place, name))))).toEqual([]);
});

test("every file that the text names exists", () => {
  const prose = text.replace(/^\|.*$|^```[^]*?^```/gm, "");
  const named = quoted(prose).filter((name) => /^[\w./-]+\/[\w.-]+\.ts$/.test(name));
  const places = ["", "src", "src/executors"];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !places.some((place) => existsSync(join(root, place, name))))).toEqual([]);
});

test("the walk of a step names functions that are in its files", () => {
  const walk = [...text.matchAll(/^\| [^|]*\| ([^|`]+) \| `(src\/\S+\.ts)` \|$/gm)];
  expect(walk.length).toBeGreaterThan(20);
  const missing = walk.flatMap(([, functions = "", file = ""]) => {
    const source = readFileSync(join(root, file), "utf8");
    const names = functions.replace("later ", "").split(/[,;] /);
    return names.filter((name) => !new RegExp(`${name}\\b`).test(source)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});
