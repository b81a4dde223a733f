// Checks that a test shows each rule of docs/spec, that what is cited exists, and that links lead to files. It does not check whether
// a sentence is true. Only the name of a test counts as evidence for a rule, never a comment; tests of documents, such as this one,
// show no rule.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const enginePage = "docs/spec/engine.md";
const requirementsPage = "docs/spec/requirements.md";

interface Rule {
  readonly id: string;
  readonly file: string;
  readonly answers: readonly string[];
  /** The reason given for having no test. */
  readonly untested: string | null;
}

const pages = filesOf("docs/spec/*.md");
const rules = pages.flatMap(rulesIn);
const requirements = [...read(requirementsPage).matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map(([, id = ""]) => id);
const cited = filesOf("src/**/*.ts", "test/**/*.ts")
  .filter((file) => isTest(file) && !isAboutDocuments(file))
  .flatMap((file) => idsInNames(read(file)).map((id) => ({ id, file })));
const shown = new Set(cited.map(({ id }) => id));

test("a rule is defined once, its group is on one page, and the engine's rules are in order", () => {
  const ids = rules.map(({ id }) => id);
  expect(repeated(ids)).toEqual([]);
  expect(ids.length).toBeGreaterThan(50);
  for (const group of new Set(ids.map(groupOf))) {
    const ofGroup = rules.filter(({ id }) => groupOf(id) === group);
    expect({ group, pages: new Set(ofGroup.map(({ file }) => file)).size }).toEqual({ group, pages: 1 });
    if (ofGroup[0]?.file !== enginePage) continue;
    const numbers = ofGroup.map(({ id }) => Number(/\d+/.exec(id)?.[0]));
    expect({ group, numbers }).toEqual({ group, numbers: numbers.toSorted((a, b) => a - b) });
  }
});

test("every rule is shown by the name of a test, or says why not", () => {
  const missing = rules.filter(({ id, untested }) => untested === null && !shown.has(id));
  expect(missing.map(({ id, file }) => `${id} (${file})`)).toEqual([]);
});

test("every rule of the engine is shown by a test of the engine", () => {
  const inEngine = new Set(cited.filter(({ file }) => file.startsWith("src/engine/")).map(({ id }) => id));
  const missing = rules.filter(({ id, file }) => file === enginePage && !inEngine.has(id));
  expect(missing.map(({ id }) => id)).toEqual([]);
});

test("every rule that a test cites exists", () => {
  const known = new Set(rules.map(({ id }) => id));
  const unknown = cited.filter(({ id }) => !isRequirement(id) && !known.has(id));
  expect(unknown.map(({ id, file }) => `${id} (${file})`)).toEqual([]);
});

test("tests of documents cite no rule", () => {
  const documentTests = filesOf("test/docs/*.ts");
  expect(documentTests.length).toBeGreaterThan(1);
  expect(documentTests.flatMap((file) => idsInNames(read(file)))).toEqual([]);
});

test("a comment, or an id outside a name, is not evidence", () => {
  const named = (ids: string) => `test("[${ids}] …")`;
  const commented = [`// ${named("AA1")}`, ` * ${named("AA2")}`, `call([AA3]); // ${named("AA4")}`];
  const source = [...commented, named("AA5] [antfarm J3] [A6, A7")];
  expect(idsInNames(source.join("\n"))).toEqual(["AA5", "A6", "A7"]);
});

test("every requirement is cited by a test or a rule, or is a known deviation", () => {
  const deviations = read("docs/spec/deviations.md")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .flatMap((line) => idsIn(line.split("|")[1] ?? ""));
  const answered = new Set([...shown, ...rules.flatMap(({ answers }) => answers), ...deviations]);
  expect(requirements.filter((id) => !answered.has(id))).toEqual([]);
  expect(repeated(requirements)).toEqual([]);
  expect(requirements.length).toBeGreaterThanOrEqual(106 + 84 + 111);
});

test("every requirement that a test or a page cites is on the page of requirements", () => {
  const known = new Set(requirements);
  const inPages = pages
    .filter((file) => file !== requirementsPage)
    .flatMap((file) => idsIn(read(file)).map((id) => ({ id, file })));
  const unknown = [...cited, ...inPages].filter(({ id }) => isRequirement(id) && !known.has(id));
  expect(unknown.map(({ id, file }) => `${id} (${file})`)).toEqual([]);
});

test("a requirement is one short line", () => {
  const lines = read(requirementsPage)
    .split("\n")
    .filter((line) => line.startsWith("- **"));
  expect(lines.filter((line) => line.length > 160 || !line.endsWith("."))).toEqual([]);
});

test("every relative link in a document leads to a file", () => {
  const broken = documents().flatMap((file) =>
    linksIn(read(file))
      .filter((target) => !existsSync(resolve(root, dirname(file), decodeURI(target))))
      .map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test("no document names a path on a developer's machine", () => {
  const place = /(?:^|[^\w.$~-])((?:\/(?:home|root|Users|work|workspace|mnt|srv|private|tmp)\/|[A-Z]:\\)[^\s`'")]*)/gm;
  const found = documents().flatMap((file) =>
    [...read(file).matchAll(place)].map(([, path = ""]) => `${file}: ${path}`),
  );
  expect(found).toEqual([]);
});

function rulesIn(file: string): Rule[] {
  // A rule may be wrapped; its other lines are indented.
  return [...read(file).matchAll(/^- \*\*([A-Z]{2,3}\d+)\*\* (.+(?:\n {2}.+)*)$/gm)].map(([, id = "", text = ""]) => ({
    id,
    file,
    answers: [...text.matchAll(/\(([^()]*)\)/g)].flatMap(([, inside = ""]) => idsIn(inside)),
    untested: /\(not\s+tested:\s+([^)]+)\)/.exec(text)?.[1] ?? null,
  }));
}

/** The ids at the beginning of a test's name: `"[LI3 A44] …"`. Letters after `antfarm` name defects, not rules. */
function idsInNames(text: string): string[] {
  const code = text.replace(/^\s*(?:\/\/|\*|\/\*).*$|\s\/\/\s.*$/gm, "");
  const names = code.matchAll(/["'`]((?:\[(?:(?:antfarm )?[A-Z]{1,3}\d*[ ,]*)+\] ?)+)/g);
  return [...names].flatMap(([, brackets = ""]) => idsIn(brackets.replace(/antfarm [^\]]*/g, "")));
}

function idsIn(text: string): string[] {
  // Ids count from 1. `E001` is the code of an error.
  return [...text.matchAll(/\b[A-Z]{1,3}[1-9]\d*\b/g)].map(([id]) => id);
}

function isRequirement(id: string): boolean {
  return /^[A-EXY]\d+$/.test(id);
}

function groupOf(id: string): string {
  return id.replace(/\d+$/, "");
}

function repeated(ids: readonly string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) < index);
}

function isAboutDocuments(file: string): boolean {
  return file.startsWith("test/docs/");
}

function isTest(file: string): boolean {
  return /\.(?:test|contract)\.ts$/.test(file);
}

/** Link targets inside the repository, without the anchor. */
function linksIn(text: string): string[] {
  const prose = text.replace(/^```[^]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target.replace(/#.*$/, ""))
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target));
}

function documents(): string[] {
  return filesOf("*.md", "{docs,workflows,demo,test,src,bench}/**/*.md");
}

function filesOf(...patterns: string[]): string[] {
  // `npm run test:client` installs packages of its own, with documents that are not ours.
  const exclude = ["**/node_modules/**"];
  return globSync(patterns, { cwd: root, exclude }).map((file) => relative(root, join(root, file)));
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
