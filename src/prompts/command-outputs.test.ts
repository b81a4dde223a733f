import fc from "fast-check";
import { expect, test } from "vitest";
import { missingOutputs, readCommandOutputs } from "./command-outputs.ts";

test("[PR44] lines `KEY: value` set the declared keys in any spelling, and the log around them is no part of a value", () => {
  const log = "npm notice building\nVERSION: 1.4.0\nDone in 3 s: fine\ncommit: c0ffee\nOTHER: x\n";
  expect(readCommandOutputs(log, ["version", "commit"])).toEqual({
    outputs: { version: "1.4.0", commit: "c0ffee" },
    missing: [],
    notes: [],
  });
});

test("[PR44] the last of several lines counts; an empty value is a value; an indented line and one without a space are a log", () => {
  const text = "VERSION: 1\r\nVERSION: 2\r\nCHANGED:\r\n  COMMIT: deep\r\n- COMMIT: listed\r\nCOMMIT:tight\r\n";
  const { outputs, missing, notes } = readCommandOutputs(text, ["version", "changed", "commit"]);
  expect(outputs).toEqual({ version: "2", changed: "" });
  expect(missing).toEqual(["commit"]);
  expect(notes).toEqual(["VERSION was given more than once; the last one counts"]);
});

test("[PR44] one JSON object sets them, too: texts as they are, anything else as JSON, null not at all", () => {
  const text = '\n{ "Version": "1.4\\n(beta)", "files": ["a", "b"], "green": true, "commit": null, "more": 1 }\n';
  const { outputs, missing } = readCommandOutputs(text, ["version", "files", "green", "commit"]);
  expect(outputs).toEqual({ version: "1.4\n(beta)", files: '["a","b"]', green: "true" });
  expect(missing).toEqual(["commit"]);
});

test("[PR44] an array, a broken object and a text around an object are lines", () => {
  for (const text of ['["version"]', '{ "version": 1', 'the result: { "version": 1 }', ""])
    expect(readCommandOutputs(text, ["version"]).missing).toEqual(["version"]);
});

test("[PR45] what is missing is said with what to print", () => {
  expect(missingOutputs(["version", "commit"])).toBe(
    "it did not print VERSION, COMMIT, which `produces` declares: print the lines `VERSION: value` and `COMMIT: value`, or one JSON object with them",
  );
});

test("[PR44 PR15] reading is total and bounded, and sets declared keys only", () => {
  const declared = ["version", "constructor"];
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const { outputs, missing } = readCommandOutputs(text, declared);
      expect([...Object.keys(outputs), ...missing].toSorted()).toEqual(declared.toSorted());
    }),
  );
  const long = readCommandOutputs(`VERSION: ${"x".repeat(100_000)}`, ["version"]);
  expect(long.outputs["version"]?.length).toBeLessThanOrEqual(64 * 1024);
  expect(long.notes).toEqual(["VERSION was cut to 64 KiB"]);
});
