// What real tools print: subtests, panics, code that does not build, suites that break outside of a test, and hostile texts.

import { describe, expect, test } from "vitest";
import { readText } from "./reader.contract.ts";
import { resultReader } from "./readers.ts";

const go = (...events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join("");
const at = { Package: "m" };

describe("[RS1 D63] go-json", () => {
  test("events of packages are not tests; of tests with subtests the subtests count, and a parent that failed alone", () => {
    const text = go(
      { Action: "start", ...at },
      { Action: "pass", ...at, Test: "TestA/one" },
      { Action: "fail", ...at, Test: "TestA/two_words" },
      { Action: "fail", ...at, Test: "TestA" },
      { Action: "pass", ...at, Test: "TestB/one" },
      { Action: "fail", ...at, Test: "TestB" },
      { Action: "pass", ...at, Test: "TestC/deep/er" },
      { Action: "pass", ...at, Test: "TestC/deep" },
      { Action: "pass", ...at, Test: "TestC" },
      { Action: "fail", ...at },
      { Action: "skip", Package: "m/empty" },
    );
    expect(readText("go-json", text)).toMatchObject({
      pass: 3,
      fail: 2,
      skip: 0,
      broken: [],
      failing: ["m.TestA/two_words", "m.TestB"],
    });
  });

  test("a test that panics has no end and has failed; a repeated test fails if it failed once", () => {
    const panics = go({ Action: "run", ...at, Test: "TestA" }, { Action: "fail", ...at });
    expect(readText("go-json", panics)).toMatchObject({ pass: 0, fail: 1, failing: ["m.TestA"], broken: [] });
    const repeated = go(
      { Action: "fail", ...at, Test: "TestA" },
      { Action: "run", ...at, Test: "TestA" },
      { Action: "pass", ...at, Test: "TestA" },
      { Action: "fail", ...at },
    );
    expect(readText("go-json", repeated)).toMatchObject({ pass: 0, fail: 1 });
    const again = go(
      { Action: "run", ...at, Test: "TestA" },
      { Action: "pass", ...at, Test: "TestA" },
      { Action: "run", ...at, Test: "TestA" },
      { Action: "fail", ...at },
    );
    expect(readText("go-json", again)).toMatchObject({ pass: 0, fail: 1, failing: ["m.TestA"] });
  });

  test("a package that does not build is broken, as events and as plain text", () => {
    const events = go(
      { ImportPath: "m [m.test]", Action: "build-output", Output: "undefined: Add\n" },
      { ImportPath: "m [m.test]", Action: "build-fail" },
      { Action: "start", ...at },
      { Action: "fail", ...at, FailedBuild: "m [m.test]" },
    );
    expect(readText("go-json", events)).toMatchObject({ pass: 0, fail: 0, broken: ["m [m.test]", "m"] });
    expect(readText("go-json", "# m [m.test]\nFAIL\tm [build failed]\n")).toMatchObject({ broken: ["m"] });
  });

  test.each([
    ["the package has no end", go({ Action: "pass", ...at, Test: "TestA" }), "package m has no end"],
    ["an event is cut off", `${go({ Action: "pass", ...at })}{"Action":"pa`, "cut off or damaged"],
    ["the text is that of `go test -v`", "--- PASS: TestA\nok m 0.1s\n", "no event"],
  ])("unreadable: %s", (_, text, why) => {
    expect(readText("go-json", text)).toEqual({ kind: "unreadable", why: expect.stringContaining(why) });
  });
});

describe("[RS1 D63] tap", () => {
  test("subtests count instead of the tests that they belong to, and are named by their path", () => {
    const text = `TAP version 14
# Subtest: math
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 1
      ...
    not ok 2 - divides
    1..2
not ok 1 - math
# Subtest: alone
    ok 1 - inner
    1..1
not ok 2 - alone
not ok 3 - later # TODO write it
ok 4 # skip no network
1..4
# tests 4
`;
    expect(readText("tap", text)).toMatchObject({
      pass: 2,
      fail: 2,
      skip: 2,
      failing: ["math > divides", "alone"],
    });
  });

  test("several documents are added up", () => {
    const one = "TAP version 13\n1..1\nok 1 - a\n";
    expect(readText("tap", one + one.replace("ok 1", "not ok 1"))).toMatchObject({ pass: 1, fail: 1 });
  });

  test.each([
    ["1..3\nok 1\nok 2\n", "3 tests were planned and 2 have ended"],
    ["ok 1\nok 2\n", "no plan"],
    ["1..2\nok 1\nBail out! no database\n", "given up: Bail out! no database"],
    ["1..1\n    ok 1 - inner\n", "cut off"],
    ["1..1\nok 1\n  ---\n  a: 1\n", "cut off in the details"],
  ])("unreadable: %j", (text, why) => {
    expect(readText("tap", text)).toEqual({ kind: "unreadable", why: expect.stringContaining(why) });
  });

  test("a run that skips everything has no test", () => {
    expect(readText("tap", "1..0 # SKIP no database\n")).toMatchObject({ pass: 0, fail: 0, skip: 0 });
  });
});

describe("[RS1 RS3 D63] junit", () => {
  test("suites in suites, errors, and a suite that says more failures than its tests have", () => {
    const text = `<testsuites failures="1" errors="2"><testsuite name="a" failures="1" errors="1">
      <testsuite name="b"><testcase classname="C" name='x "1"'><failure/></testcase><testcase name="y"><error type="E">z</error></testcase></testsuite>
      <testcase name="ok"><system-out>&lt;failure/&gt;</system-out></testcase></testsuite>
      <testsuite name="setup" errors="1"/></testsuites>`;
    expect(readText("junit", text)).toMatchObject({
      pass: 1,
      fail: 2,
      skip: 0,
      broken: ["setup"],
      failing: ['C.x "1"', "y"],
    });
  });

  test("nothing is expanded, and a name with line breaks and control characters becomes one line", () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    const text = `${bomb}<testsuite><testcase name="&b;&f;&#10;two&#27;[31m &amp;lt; &#x202E;"><failure/></testcase></testsuite>`;
    expect(readText("junit", text)).toMatchObject({ fail: 1, failing: ["&b;&f; two [31m &lt;"] });
  });

  test.each([
    ["<testsuite><testcase name='a'/>", "cut off"],
    ["<testsuite><testcase name='a'></testsuite>", "damaged"],
    ["<testsuite><!ENTITY a 'b'></testsuite>", "declares"],
    [`<testsuite>${"<a>".repeat(300)}`, "too deep"],
    ["<html><body>502</body></html>", "no <testsuites>"],
  ])("unreadable: %j", (text, why) => {
    expect(readText("junit", text)).toEqual({ kind: "unreadable", why: expect.stringContaining(why) });
  });
});

describe("[RS1 D63] vitest and jest", () => {
  const document = (more: object) => JSON.stringify({ numTotalTests: 0, numFailedTests: 0, testResults: [], ...more });
  const file = (more: object) => ({ name: "/a.test.ts", status: "failed", assertionResults: [], ...more });

  test("a file that does not load, and an error outside of every test, are broken", () => {
    expect(readText("vitest", document({ success: false, testResults: [file({})] }))).toMatchObject({
      pass: 0,
      fail: 0,
      broken: ["/a.test.ts"],
    });
    expect(readText("jest", document({ success: false }))).toMatchObject({ broken: ["the run, outside of its tests"] });
  });

  test("several documents among other text are added up", () => {
    const passing = file({ status: "passed", assertionResults: [{ title: 'a "{"', status: "passed" }] });
    const text = `> npm test\n${document({ numTotalTests: 1, testResults: [passing] })}\n{"success": true}\n`;
    expect(readText("jest", text + text)).toMatchObject({ pass: 2, passing: ['a "{"', 'a "{"'] });
  });

  test.each([
    [document({ testResults: [file({ assertionResults: [{ title: "a", status: "fine" }] })] }), 'status "fine"'],
    [document({ numTotalTests: 3 }), "says 3 tests and lists 0"],
    [document({ numFailedTests: 1 }), "says 1 failed tests and lists 0"],
    [document({}).slice(0, -1), "cut off"],
    [document({}).replace(":0", ":zero"), "damaged"],
    [document({ testResults: [{}] }), "has no tests"],
    ['{"success":true}', "has no JSON"],
  ])("unreadable: %j", (text, why) => {
    expect(readText("vitest", text)).toEqual({ kind: "unreadable", why: expect.stringContaining(why) });
  });
});

describe("[RS3] 200 MB", () => {
  const megabyte = (line: string) => line.repeat(Math.ceil((1024 * 1024) / line.length));

  test("of output between results is read without being kept", () => {
    const reader = resultReader("go-json");
    const printed = megabyte(go({ Time: "t", Action: "output", ...at, Test: "TestA", Output: "x".repeat(1_000) }));
    for (let count = 0; count < 200; count += 1) reader.add(printed);
    reader.add("y".repeat(50 * 1024 * 1024));
    reader.add(`\n${go({ Action: "fail", ...at, Test: "TestA" }, { Action: "fail", ...at })}`);
    expect(reader.end()).toMatchObject({ kind: "results", fail: 1 });
  });

  test.each(["junit", "vitest", "jest"] as const)("of %s is said to be too large", (form) => {
    const reader = resultReader(form);
    const piece = megabyte("<testcase/>");
    for (let count = 0; count < 200; count += 1) reader.add(piece);
    expect(reader.end()).toEqual({ kind: "unreadable", why: "it is larger than 64 MiB" });
  });
});
