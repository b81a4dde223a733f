// Every reader of test results passes the contract.

import fc from "fast-check";
import { describeReader } from "./reader.contract.ts";

const anyName = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).map((name) => `t${name.toWellFormed()}`);
const word = fc.stringMatching(/^[A-Z][A-Za-z0-9_]{0,12}$/);

describeReader({
  form: "go-json",
  names: word,
  nameOf: (name) => `example.org/m.Test${name}`,
  render: (tests) => {
    const event = (fields: object) => `${JSON.stringify({ Time: "2026-01-01T00:00:00Z", ...fields })}\n`;
    const at = { Package: "example.org/m" };
    const ofTests = tests.flatMap(({ name, end }) => [
      event({ Action: "run", ...at, Test: `Test${name}` }),
      event({ Action: "output", ...at, Test: `Test${name}`, Output: "--- FAIL {}\n" }),
      event({ Action: end, ...at, Test: `Test${name}`, Elapsed: 0 }),
    ]);
    const end = tests.some((each) => each.end === "fail") ? "fail" : "pass";
    return [event({ Action: "start", ...at }), ...ofTests, event({ Action: end, ...at })].join("");
  },
});

describeReader({
  form: "tap",
  names: word,
  nameOf: (name) => name,
  render: (tests) => {
    const lines = tests.map(({ name, end }, index) => {
      const point = `${end === "fail" ? "not ok" : "ok"} ${index + 1} - ${name}`;
      return `${point}${end === "skip" ? " # SKIP later" : ""}\n  ---\n  ok: not ok\n  ...\n`;
    });
    return `TAP version 13\n${lines.join("")}1..${tests.length}\n# done\n`;
  },
});

const xml = (text: string) =>
  Array.from(text)
    .map((char) => (/^[\w .]$/.test(char) ? char : `&#${char.codePointAt(0) ?? 0};`))
    .join("");

describeReader({
  form: "junit",
  names: anyName,
  nameOf: (name) => `m.${name}`,
  render: (tests) => {
    const cases = tests.map(({ name, end }) => {
      const inside = {
        pass: "",
        fail: `<failure message="a &gt; b"><![CDATA[</testsuite>]]></failure>`,
        skip: "<skipped/>",
      }[end];
      return `<testcase classname="m" name="${xml(name)}">${inside}</testcase>`;
    });
    const failures = tests.filter(({ end }) => end === "fail").length;
    return `<?xml version="1.0"?>\n<testsuites><testsuite name="m" failures="${failures}" errors="0">${cases.join("\n")}</testsuite></testsuites>`;
  },
});

for (const form of ["vitest", "jest"] as const) {
  describeReader({
    form,
    names: anyName,
    nameOf: (name) => `group > ${name}`,
    render: (tests) => {
      const words = { pass: "passed", fail: "failed", skip: "pending" };
      const failed = tests.filter(({ end }) => end === "fail").length;
      return JSON.stringify({
        numTotalTestSuites: 1,
        numTotalTests: tests.length,
        numFailedTests: failed,
        success: failed === 0,
        testResults: [
          {
            name: "/a/b.test.ts",
            status: failed === 0 ? "passed" : "failed",
            assertionResults: tests.map(({ name, end }) => ({
              ancestorTitles: ["group"],
              title: name,
              status: words[end],
            })),
          },
        ],
      });
    },
  });
}
