// Reads `go test -json`. Events about a package are not tests. Of a test with subtests only the subtests count, unless it failed by
// itself.

import { LineSplitter, type TextLine } from "./lines.ts";
import { cannotRead, mostTests, type ResultReader, type ResultsRead, Tally } from "./result.ts";

type End = "pass" | "fail" | "skip";

interface GoEvent {
  readonly Action?: unknown;
  readonly Package?: unknown;
  readonly ImportPath?: unknown;
  readonly Test?: unknown;
}

const isEnd = (action: unknown): action is End => action === "pass" || action === "fail" || action === "skip";
const beginsEvent = /^\{\s*"(?:Time|Action|ImportPath|Package)"\s*:/;
const isOutput = /^\{(?:"Time":"[^"]*",)?"Action":"output",/;
/** What Go prints between the events, before version 1.24. */
const plainBuildFailure = /^FAIL\s+(\S+)\s+\[(?:build|setup) failed\]/;

export function goJsonReader(): ResultReader {
  const packages = new Map<string, End | null>();
  /** By package and test; null: it has begun. */
  const tests = new Map<string, Map<string, End | null>>();
  const unbuilt = new Set<string>();
  let trouble: string | null = null;
  let events = 0;
  let known = 0;

  const onTest = (name: string, test: string, action: unknown): void => {
    const ofPackage = tests.get(name) ?? new Map<string, End | null>();
    tests.set(name, ofPackage);
    const before = ofPackage.get(test);
    if (before === undefined) known += 1;
    if (known > mostTests) {
      trouble ??= `it has more than ${mostTests} tests`;
      return;
    }
    // With -count a test runs again: one failure is a failure.
    if (before === "fail") return;
    if (isEnd(action)) ofPackage.set(test, action);
    else if (action === "run" || before === undefined) ofPackage.set(test, null);
  };

  const onEvent = (event: GoEvent): void => {
    const name = typeof event.Package === "string" ? event.Package : "";
    if (event.Action === "build-fail") unbuilt.add(typeof event.ImportPath === "string" ? event.ImportPath : name);
    if (name === "") return;
    if (typeof event.Test === "string") onTest(name, event.Test, event.Action);
    else if (isEnd(event.Action) && packages.get(name) !== "fail") packages.set(name, event.Action);
    if (!packages.has(name)) packages.set(name, null);
  };

  const onLine = ({ text, isCut }: TextLine): void => {
    const built = plainBuildFailure.exec(text);
    if (built?.[1] !== undefined) unbuilt.add(built[1]);
    // What tests print is most of the text, may be long, and says nothing.
    if (!beginsEvent.test(text) || isOutput.test(text)) return;
    if (isCut) trouble ??= "an event is longer than 1 MiB";
    try {
      onEvent(JSON.parse(text) as GoEvent);
      events += 1;
    } catch {
      trouble ??= "an event is cut off or damaged";
    }
  };

  const lines = new LineSplitter(onLine);
  return {
    add: (text) => lines.add(text),
    end: (): ResultsRead => {
      lines.end();
      if (trouble !== null) return cannotRead(trouble);
      if (events === 0 && unbuilt.size === 0) return cannotRead("it has no event of `go test -json`");
      const open = [...packages].find(([, end]) => end === null);
      if (open !== undefined) return cannotRead(`it is cut off: package ${open[0]} has no end`);
      const tally = new Tally();
      for (const [name, end] of packages) {
        const before = tally.failures;
        countPackage(tally, name, tests.get(name) ?? new Map(), end);
        if (end === "fail" && tally.failures === before) unbuilt.add(name);
      }
      for (const name of unbuilt) tally.broke(name);
      return tally.results();
    },
  };
}

function countPackage(
  tally: Tally,
  name: string,
  tests: ReadonlyMap<string, End | null>,
  end: End | null | undefined,
): void {
  const parents = new Set<string>();
  const failedBelow = new Set<string>();
  for (const [test, result] of tests) {
    for (let at = test.lastIndexOf("/"); at > 0; at = test.lastIndexOf("/", at - 1)) {
      const parent = test.slice(0, at);
      if (!tests.has(parent)) continue;
      parents.add(parent);
      if (result !== "pass" && result !== "skip") failedBelow.add(parent);
    }
  }
  for (const [test, written] of tests) {
    // A test that panics has no end; its package fails.
    const result = written ?? (end === "pass" ? "pass" : "fail");
    const isParent = parents.has(test);
    if (isParent && (result !== "fail" || failedBelow.has(test))) continue;
    if (result === "pass") tally.passed(`${name}.${test}`);
    else if (result === "fail") tally.failed(`${name}.${test}`);
    else tally.skipped();
  }
}
