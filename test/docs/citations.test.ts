// Rules, requirements and links. Checks: what docs/spec says is shown by a test, what tests cite exists, and documents lead
// somewhere. Does not check: whether a sentence is true.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const requirementsFile = join(root, "../shared/spec/requirements.md");

interface Rule {
  readonly id: string;
  readonly file: string;
  readonly answers: readonly string[];
  /** The reason that is given for having no test. */
  readonly untested: string | null;
}

const rules = filesOf("docs/spec/*.md").flatMap(rulesIn);
const sources = filesOf("src/**/*.ts", "test/**/*.ts").filter((file) => file !== "test/docs/citations.test.ts");
const inTests = sources.filter(isTest).flatMap((file) => bracketed(read(file)).map((id) => ({ id, file })));
const inComments = sources.flatMap((file) => commentsOf(read(file)).flatMap(idsIn));

test("a rule has one place", () => {
  const ids = rules.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([]);
  expect(ids.length).toBeGreaterThan(50);
});

test("every rule is cited by a test or a comment, or says why not", () => {
  const cited = new Set([...inTests.map(({ id }) => id), ...inComments]);
  const uncited = rules.filter(({ id, untested }) => untested === null && !cited.has(id));
  expect(uncited.map(({ id, file }) => `${id} (${file})`)).toEqual([]);
});

test("every rule that a test cites exists", () => {
  const known = new Set(rules.map(({ id }) => id));
  const unknown = inTests.filter(({ id }) => !isRequirement(id) && !known.has(id));
  expect(unknown.map(({ id, file }) => `${id} (${file})`)).toEqual([]);
});

test.skipIf(!existsSync(requirementsFile))(
  "every requirement of parts A, B and C is cited by a test or a rule, or is a known deviation (skipped where the list is not there)",
  () => {
    const wanted = [...readFileSync(requirementsFile, "utf8").matchAll(/^- \*\*([ABC]\d+)\*\*/gm)].map(
      ([, id = ""]) => id,
    );
    const deviations = read("docs/spec/deviations.md")
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .flatMap((line) => idsIn(line.split("|")[1] ?? ""));
    const cited = new Set([...inTests.map(({ id }) => id), ...rules.flatMap(({ answers }) => answers), ...deviations]);
    expect(wanted.length).toBeGreaterThanOrEqual(106 + 84 + 111);
    expect(wanted.filter((id) => !cited.has(id))).toEqual([]);
  },
);

test("every relative link in a document leads to a file", () => {
  const broken = documents().flatMap((file) =>
    linksIn(read(file))
      .filter((target) => !existsSync(resolve(root, dirname(file), decodeURI(target))))
      .map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test("no document names a place on somebody's machine", () => {
  const place = /(?:^|[^\w.$~-])((?:\/(?:home|root|Users|work|workspace|mnt|srv|private|tmp)\/|[A-Z]:\\)[^\s`'")]*)/gm;
  const found = documents().flatMap((file) =>
    [...read(file).matchAll(place)].map(([, path = ""]) => `${file}: ${path}`),
  );
  expect(found).toEqual([]);
});

function rulesIn(file: string): Rule[] {
  return [...read(file).matchAll(/^- \*\*([A-Z]{2,3}\d+)\*\* (.+)$/gm)].map(([, id = "", text = ""]) => ({
    id,
    file,
    answers: [...text.matchAll(/\(([^()]*)\)/g)].flatMap(([, inside = ""]) => idsIn(inside)),
    untested: /\(not tested: ([^)]+)\)/.exec(text)?.[1] ?? null,
  }));
}

/** The ids of `[LI3 A44]`; what follows `antfarm` names defects, not rules. */
function bracketed(text: string): string[] {
  const lists = text.matchAll(/\[((?:(?:antfarm )?[A-Z]{1,3}\d*[ ,]*)+)\]/g);
  return [...lists].flatMap(([, inside = ""]) => idsIn(inside.replace(/antfarm .*/, "")));
}

function commentsOf(text: string): string[] {
  return text.split("\n").filter((line) => /^\s*(?:\/\/|\*|\/\*\*)|\s\/\/\s/.test(line));
}

function idsIn(text: string): string[] {
  return [...text.matchAll(/\b[A-Z]{1,3}\d+\b/g)].map(([id]) => id);
}

function isRequirement(id: string): boolean {
  return /^[A-EXYZ]\d+$/.test(id);
}

function isTest(file: string): boolean {
  return /\.(?:test|contract)\.ts$/.test(file);
}

/** Targets inside the repository, without the place in the page. */
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
  return globSync(patterns, { cwd: root }).map((file) => relative(root, join(root, file)));
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
