// Reads the Test Anything Protocol, versions 12 to 14, with subtests. A document without its plan, or with fewer tests than planned,
// is cut off.

import { LineSplitter, type TextLine } from "./lines.ts";
import { cannotRead, mostTests, type ResultReader, type ResultsRead, Tally } from "./result.ts";

interface Point {
  readonly name: string;
  readonly end: "pass" | "fail" | "skip";
}

interface Level {
  readonly indent: number;
  /** The tests of this level and below it. */
  points: Point[];
  results: number;
  plan: number | null;
}

const point = /^( *)(not )?ok\b(?:\s+\d+)?(?:\s+-)?\s*(.*)$/;
const planned = /^( *)1\.\.(\d+)\b/;
const directive = /(?:^|\s)#\s*(skip|todo)\b.*$/i;

export function tapReader(): ResultReader {
  const tally = new Tally();
  let levels: Level[] = [];
  let yamlIndent: number | null = null;
  let trouble: string | null = null;
  let documents = 0;
  let kept = 0;

  const fail = (why: string): void => {
    trouble ??= why;
  };

  /** Closes the levels deeper than `indent`, and returns their points for the test that they belong to. */
  const closeBelow = (indent: number): Point[] => {
    const points: Point[] = [];
    while ((levels.at(-1)?.indent ?? -1) > indent) {
      const level = levels.pop() as Level;
      if (level.plan !== null && level.plan !== level.results)
        fail(`it is cut off: ${level.plan} tests were planned and ${level.results} have ended`);
      points.unshift(...level.points);
    }
    return points;
  };

  const levelAt = (indent: number): Level => {
    const last = levels.at(-1);
    if (last?.indent === indent) return last;
    const level: Level = { indent, points: [], results: 0, plan: null };
    levels.push(level);
    return level;
  };

  const closeDocument = (): void => {
    if (levels.length === 0) return;
    const orphans = closeBelow(0);
    const top = levels[0];
    levels = [];
    if (orphans.length > 0 || top === undefined || top.indent !== 0) return fail("it is cut off: a subtest has no end");
    if (top.plan === null) return fail("it has no plan (1..N), so it may be cut off");
    if (top.plan !== top.results)
      return fail(`it is cut off: ${top.plan} tests were planned and ${top.results} have ended`);
    documents += 1;
    for (const { name, end } of top.points) {
      if (end === "pass") tally.passed(name);
      else if (end === "fail") tally.failed(name);
      else tally.skipped();
    }
    kept = 0;
  };

  const onPoint = (indent: number, isNot: boolean, text: string): void => {
    const below = closeBelow(indent);
    const level = levelAt(indent);
    const word = directive.exec(text)?.[1];
    const name = text.replace(directive, "").trim();
    level.results += 1;
    kept += 1;
    if (kept + tally.count > mostTests) return fail(`it has more than ${mostTests} tests`);
    const end = word !== undefined ? "skip" : isNot ? "fail" : "pass";
    const children = below.map((child) => ({ ...child, name: `${name} > ${child.name}` }));
    const failsAlone = end === "fail" && !children.some((child) => child.end === "fail");
    // A failed subtest of a test that passes or is to be done is not a failure, and not a pass either.
    const counted =
      end === "fail" ? children : children.map((c) => (c.end === "fail" ? { ...c, end: "skip" as const } : c));
    level.points.push(...counted);
    if (children.length === 0 || failsAlone) level.points.push({ name, end });
  };

  const onLine = ({ text }: TextLine): void => {
    const indent = text.length - text.trimStart().length;
    if (yamlIndent !== null) {
      if (indent <= yamlIndent && text.trim() === "...") yamlIndent = null;
      return;
    }
    if (text.trim() === "---" && levels.length > 0 && indent > 0) {
      yamlIndent = indent;
      return;
    }
    if (/^TAP version \d+/.test(text)) return closeDocument();
    if (/^ *Bail out!/.test(text)) return fail(`its tests were given up: ${text.trim().slice(0, 200)}`);
    const plan = planned.exec(text);
    if (plan) {
      // The plan of a subtest may come before its tests.
      const at = plan[1]?.length ?? 0;
      if (at < (levels.at(-1)?.indent ?? 0)) return fail("it is damaged: a plan stands in the middle of a subtest");
      levelAt(at).plan = Number(plan[2]);
      return;
    }
    const found = point.exec(text);
    if (found) onPoint(found[1]?.length ?? 0, found[2] !== undefined, found[3] ?? "");
  };

  const lines = new LineSplitter(onLine);
  return {
    add: (text) => lines.add(text),
    end: (): ResultsRead => {
      lines.end();
      if (yamlIndent !== null) fail("it is cut off in the details of a test");
      closeDocument();
      if (trouble !== null) return cannotRead(trouble);
      return documents === 0 ? cannotRead("it has no test and no plan of TAP") : tally.results();
    },
  };
}
