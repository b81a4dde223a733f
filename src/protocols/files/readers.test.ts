// General readers on real files: what a file says, what it does not say, and files that are no files.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import type { DecisionSource, DecisionStep } from "../../domain/definition.ts";
import { loadWorkflow } from "../../workflows/load.ts";
import { noProtocol, withDefaults } from "../complete-protocol.ts";
import type { DecisionRead, DecisionWork } from "../protocol.ts";
import { decideByJson } from "./json-value.ts";
import { readerOf } from "./readers.ts";
import { decideByTests } from "./test-results.ts";

const words = { proceed: ["passed", "ok", true, 1], fix: ["failed", false, null] };
const source: DecisionSource = { file: "r.json", at: "/status", words };

function put(text: string | Buffer): string {
  const dir = tempDir("pawl-readers-");
  writeFileSync(join(dir, "r.json"), text);
  return dir;
}

const reads = (text: string | Buffer, at = "/status"): DecisionRead =>
  decideByJson(put(text), "r.json", { ...source, at });

describe("json", () => {
  test("[RD4 RD2] decides by the word at its place, and names the file, its hash and the place", () => {
    const text = '{\n  "a": 1,\n  "status": " PASSED "\n}';
    expect(reads(text)).toEqual({
      value: "proceed",
      why: 'r.json says " PASSED " at /status',
      evidence: [
        {
          file: "r.json",
          sha256: createHash("sha256").update(text).digest("hex"),
          place: "/status (3:13)",
        },
      ],
    });
    expect(reads('\uFEFF{"status": true}').value).toBe("proceed");
    expect(reads('{"status": null}').value).toBe("fix");
    expect(reads('{"a/b": [{"~x": "ok"}]}', "/a~1b/0/~0x").value).toBe("proceed");
    expect(reads('"failed"', "").value).toBe("fix");
  });

  test("[RD4] everything else is unknown, with the reason", () => {
    const unknown = (text: string, why: string, at?: string) =>
      expect(reads(text, at)).toMatchObject({ value: "unknown", why: expect.stringContaining(why) });
    unknown('{"status": "done"}', '"done" at /status, which means none of: proceed, fix');
    unknown('{"status": "true"}', '"true"');
    unknown('{"status": 0}', "says 0");
    unknown('{"status": ["passed"]}', "has a list at /status");
    unknown('{"status": {"passed": true}}', "has an object at /status");
    unknown('{"status": "passed", "status": "failed"}', "has /status twice");
    unknown('{"Status": "passed"}', "has nothing at /status");
    unknown('["passed"]', "has nothing at /01", "/01");
    unknown('["passed"]', "has nothing at /-", "/-");
    unknown('{"status": "passed"', "r.json:1:");
    unknown("", "is empty");
    unknown("passed", "not valid JSON");
    unknown("[".repeat(200_000), "r.json");
  });

  test("[RD3] a file that is missing, a link, a directory, a pipe or too large is unknown", () => {
    const dir = put('{"status": "passed"}');
    const outside = put('{"status": "passed"}');
    symlinkSync(join(dir, "r.json"), join(dir, "link.json"));
    symlinkSync(outside, join(dir, "linked"));
    mkdirSync(join(dir, "folder"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(dir, "pipe")]);
    writeFileSync(join(dir, "large"), "");
    truncateSync(join(dir, "large"), 8 * 1024 * 1024 + 1);
    const why = (file: string) => {
      const read = decideByJson(dir, file, source);
      expect(read).toMatchObject({ value: "unknown", evidence: [{ file, sha256: null, place: null }] });
      return read.why;
    };
    expect(why("gone.json")).toBe("gone.json is missing");
    expect(why("gone/r.json")).toBe("gone/r.json is missing");
    expect(why("link.json")).toContain("is a link");
    expect(why("linked/r.json")).toContain("a link in the place of a directory");
    expect(why("folder")).toContain("is a directory");
    expect(why("pipe")).toContain("is not a regular file");
    expect(why("large")).toContain("is larger than 8 MiB");
    expect(why("../r.json")).toContain("is outside of");
  });

  test("[DE2 RD4] property: without a word of the table nothing is decided, and no file throws", () => {
    const dir = put("");
    const broken = fc.tuple(fc.constantFrom('{"status":"passed"}', '{"status":true}'), fc.nat()).map(([text, at]) => ({
      text: text.slice(0, at % text.length),
      meant: "unknown",
    }));
    const other = fc
      .json()
      .filter((text) => !/passed|ok|failed|true|false|null|1/i.test(text))
      .map((text) => ({ text: `{"status":${text}}`, meant: "unknown" }));
    const noise = fc.string({ unit: "binary" }).map((text) => ({ text, meant: "unknown" }));
    fc.assert(
      fc.property(fc.oneof(broken, other, noise), ({ text, meant }) => {
        writeFileSync(join(dir, "r.json"), text);
        expect(decideByJson(dir, "r.json", source).value).toBe(meant);
      }),
      { numRuns: 500 },
    );
  });

  test("[RD2] the hash is of the bytes of the file, also if they are not text", () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x22]);
    expect(reads(bytes).evidence[0]).toMatchObject({ sha256: createHash("sha256").update(bytes).digest("hex") });
  });
});

describe("test results", () => {
  const suite = (inner: string) => decideByTests(put(`<testsuites>${inner}</testsuites>`), "r.json", "junit");

  test("[RD5] tests that passed pass, one that failed fails, with counts and names", () => {
    expect(suite('<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>')).toMatchObject({
      value: "passed",
      why: "r.json: 1 test passed, 0 failed, 1 skipped",
      facts: { tests: { pass: 1, fail: 0, skip: 1 }, failing_tests: [] },
    });
    expect(suite('<testcase name="a"/><testcase name="b"><failure/></testcase>')).toMatchObject({
      value: "failed",
      feedback: "r.json: 1 test passed, 1 failed, 0 skipped:\n- b",
      facts: { failing_tests: ["b"] },
    });
    expect(suite('<testsuite name="s" errors="1"><testcase name="a"/></testsuite>').value).toBe("failed");
  });

  test("[RD5] results without a test that ran, and what cannot be read, are unknown", () => {
    for (const inner of ["", "<testsuite/>", '<testcase name="a"><skipped/></testcase>', "<testsuite>"])
      expect(suite(inner).value).toBe("unknown");
    expect(decideByTests(put("hello"), "r.json", "junit").value).toBe("unknown");
    expect(decideByTests(put("1..1\nok 1 - a\n"), "r.json", "tap").value).toBe("passed");
    expect(decideByTests(put(""), "gone.xml", "junit")).toMatchObject({
      value: "unknown",
      why: "gone.xml is missing",
    });
  });
});

describe("the reader of a step", () => {
  const stepWith = (decision: string) => {
    const text = `pawl: 1\nid: x\nsteps: [{ id: d, decision: ${decision}, on: { passed: next, failed: fail } }]`;
    const step = loadWorkflow(text, "w.yml").definition?.steps[0];
    if (step?.kind !== "decision") throw new Error("not loaded");
    return step;
  };
  const work = (workspace: string) => ({ workspace, file: "r.json" }) as DecisionWork;

  test("[RD5 RD4] is a general one for the file that the step names", async () => {
    const dir = put("1..1\nnot ok 1 - a\n");
    const read = await readerOf(noProtocol, stepWith("{ reader: tap, file: r.json }")).read(work(dir));
    expect(read.value).toBe("failed");
    const json = stepWith("{ reader: json, file: r.json, values: { passed: [x], failed: [y] } }");
    expect(await readerOf(noProtocol, json).read(work(put('"X"')))).toMatchObject({ value: "passed" });
  });

  test("[RD7] is one of the protocol, whose errors name it; any other is refused", () => {
    const boom = {
      values: ["passed"],
      read: () => {
        throw new Error("boom");
      },
    };
    const protocol = withDefaults({ name: "files", readers: { boom } });
    const step: DecisionStep = { ...stepWith("{ reader: tap, file: r.json }"), reader: "boom" };
    const { source: _file, ...own } = step;
    expect(() => readerOf(protocol, own).read(work("/"))).toThrow(
      expect.objectContaining({ message: "protocol files could not read the decision boom: boom" }),
    );
    expect(() => readerOf(noProtocol, own)).toThrow('d: there is no reader "boom"');
  });
});
