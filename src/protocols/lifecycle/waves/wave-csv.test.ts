// The CSV of a wave and of its results, as they are written and as others write them.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvText, readCsv } from "./csv.ts";
import { calledBy, splitCall, workerCall } from "./skill-call.ts";
import { hasResult, readResult, resultsText, waveText } from "./wave-csv.ts";

const fieldsOf = (text: string) => {
  const read = readCsv(text);
  return read.kind === "rows" ? read.rows.map(({ fields }) => fields) : read.why;
};
const verify = { position: 3, call: "maestro-verify 1" };
const result = (rows: string) => readResult(`id,status,skill_call,summary,artifacts,error\n${rows}`, verify);

describe("CSV", () => {
  test("[LS10 E50] both spellings of a quote are read, by the file as a whole", () => {
    const seed = `id,skill_call,topic
"3","$maestro-ralph-execute \\"$maestro-verify 1\\"","Ralph step 3/14: verify phase 1"
"4","$maestro-ralph-execute \\"$quality-business-test 1\\"","Ralph step 4/14: business test phase 1"
`;
    expect(fieldsOf(seed)).toEqual([
      ["id", "skill_call", "topic"],
      ["3", '$maestro-ralph-execute "$maestro-verify 1"', "Ralph step 3/14: verify phase 1"],
      ["4", '$maestro-ralph-execute "$quality-business-test 1"', "Ralph step 4/14: business test phase 1"],
    ]);
    expect(fieldsOf('a,b\n"C:\\dir\\","x ""y"""\n')).toEqual([
      ["a", "b"],
      ["C:\\dir\\", 'x "y"'],
    ]);
  });

  test("[LS10 E50] line breaks of all kinds, a byte order mark, empty lines, fields without quotes", () => {
    expect(fieldsOf('\uFEFFa,b\r\n1,"x\r\ny"\r\n\r\n2,\r3,z')).toEqual([
      ["a", "b"],
      ["1", "x\r\ny"],
      ["2", ""],
      ["3", "z"],
    ]);
    expect(fieldsOf("")).toEqual([]);
  });

  test.each([
    ["a,b\n1\n", "line 2: 1 fields, and 2 in the head"],
    ['a,b\n1,"x\n', "line 2: a quoted field does not end"],
    ['a\n"x"y\n', 'line 2: "y" follows a closing quote'],
  ])("[LS10 E52] %j is not guessed", (text, why) => {
    expect(fieldsOf(text)).toBe(why);
  });

  test("[LS10] what is written is read back, whatever is in it", () => {
    const rows = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(fc.string({ unit: "binary" }), { minLength: width, maxLength: width }), { minLength: 1 }),
      );
    fc.assert(
      fc.property(rows, (table) => {
        const seen = table.filter((fields) => fields.length > 1 || fields[0]?.trim() !== "");
        expect(fieldsOf(csvText(table))).toEqual(seen);
      }),
      { numRuns: 500 },
    );
  });
});

describe("wave-N.csv", () => {
  test("[LS11 E50] one row: the 1-based position, the call in the call of the worker, the topic", () => {
    const call = 'maestro-brainstorm "a \\"shop\\", with tea"';
    const text = waveText([{ position: 1, call, topic: "Ralph step 1/18" }]);
    expect(fieldsOf(text)).toEqual([
      ["id", "skill_call", "topic"],
      ["1", '$maestro-ralph-execute "$maestro-brainstorm \\"a \\\\\\"shop\\\\\\", with tea\\""', "Ralph step 1/18"],
    ]);
    expect(text.split("\r\n")[0]).toBe('"id","skill_call","topic"');
  });

  test("[LS11 E50 E58] the worker's call gives the skill's call back, whatever is in it", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), fc.string({ unit: "binary" }), (skill, args) => {
        const call = args.trim() === "" ? skill : `${skill} ${args.trim()}`;
        expect(splitCall(calledBy(workerCall(call)) ?? "")).toEqual(splitCall(call));
        const row = fieldsOf(waveText([{ position: 2, call, topic: "t" }]));
        expect(calledBy(row[1]?.[1] ?? "")).toBe(calledBy(workerCall(call)));
      }),
      { numRuns: 500 },
    );
  });

  test("[LS11] a spreadsheet computes nothing in the files, and no call is changed for that", () => {
    const odd = { status: "failed", call: "=cmd", summary: "=1+1", artifacts: "@a", error: "-1" } as const;
    const text = resultsText([[1, odd]]);
    expect(fieldsOf(text)[1]).toEqual(["1", "failed", '$maestro-ralph-execute "$=cmd"', "'=1+1", "'@a", "'-1"]);
  });
});

describe("wave-N-results.csv", () => {
  test("[LS12 E52] the row of the wave, completed or failed", () => {
    expect(result('3,completed,"x",went well,scratch/a,')).toMatchObject({
      status: "completed",
      summary: "went well",
      artifacts: "scratch/a",
      error: "",
    });
    expect(result("3,FAILED,x,,,no plan")).toMatchObject({ status: "failed", error: "no plan" });
    expect(result("3,failed,x,,,")).toMatchObject({ status: "failed", error: "it failed and does not say why" });
    const own = { status: "completed", call: verify.call, summary: "ok", artifacts: "", error: "" } as const;
    expect(readResult(resultsText([[3, own]]), verify)).toEqual(own);
  });

  test.each([
    ["no row", "", "the results have no row for 3"],
    ["the row of another", "4,completed,x,,,", "the results have no row for 3, but 1 for others"],
    ["two rows", "3,completed,x,,,\n3,completed,x,,,", "the results have 2 rows for 3"],
    ["another status", "3,done,x,,,", 'its status is "done"'],
    ["no status", "3,,x,,,", 'its status is ""'],
    ["half a row", "3,completed", "the results cannot be read: line 2: 2 fields, and 6 in the head"],
    ["an open quote", '3,completed,"x', "the results cannot be read: line 2: a quoted field does not end"],
  ])("[LS12 E52] %s is a failure, in words", (_what, rows, error) => {
    expect(result(rows)).toMatchObject({ status: "failed", error });
  });

  test("[LS12 E52] a file without a head, and one whose ids are missing", () => {
    expect(readResult("", verify)).toMatchObject({ status: "failed", error: "the results have no head with a status" });
    expect(readResult("a,b\n1,2\n", verify)).toMatchObject({ status: "failed" });
    const call = '"$maestro-ralph-execute ""$maestro-verify 1"""';
    expect(readResult(`status,skill_call\ncompleted,${call}\n`, verify)).toMatchObject({ status: "completed" });
    expect(readResult("status,skill_call\ncompleted,other\n", verify)).toMatchObject({ status: "failed" });
  });

  test("[LS12 E52] a spawner that keeps the report of its agent as JSON beside its own columns", () => {
    const row = (status: string, report: string) =>
      readResult(`id,status,last_error,result_json\n3,${status},,"${report.replaceAll('"', '""')}"\n`, verify);
    expect(row("completed", '{"status":"completed","summary":"ok"}')).toMatchObject({
      status: "completed",
      summary: "ok",
    });
    expect(row("completed", '{"status":"failed","error":"no"}')).toMatchObject({ status: "failed", error: "no" });
    expect(row("failed", '{"status":"completed"}')).toMatchObject({ status: "failed" });
    expect(row("completed", "{")).toMatchObject({ status: "completed" });
  });

  test("[LS12 E52] nothing but a row that says completed counts as completed, and no text is a crash", () => {
    const word = fc.constantFrom(
      "completed",
      "failed",
      "done",
      "3",
      "4",
      '"',
      '\\"',
      '""',
      ",",
      "\n",
      "\r\n",
      "=",
      " ",
    );
    const head = "id,status,skill_call,summary,artifacts,error\n";
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ unit: "binary" }))), fc.boolean(), (parts, hasHead) => {
        const text = `${hasHead ? head : ""}${parts.join("")}`;
        const read = readResult(text, verify);
        expect(["completed", "failed"]).toContain(read.status);
        expect(read.status === "failed" || /\bcompleted\b/i.test(text)).toBe(true);
        expect(read.status === "completed" || read.error !== "").toBe(true);
        hasResult(text, verify, 2);
      }),
      { numRuns: 5_000 },
    );
  });
});

const samples = fileURLToPath(new URL("../../../../../shared/samples/maestro-flow/csv", import.meta.url));

test.skipIf(!existsSync(samples))("[LS10] every CSV of a real project is read (../shared/samples)", () => {
  const files = readdirSync(samples);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const read = fieldsOf(readFileSync(join(samples, file), "utf8"));
    expect([file, Array.isArray(read) && read.length > 1]).toEqual([file, true]);
    expect(readResult(readFileSync(join(samples, file), "utf8"), verify).status).toMatch(/completed|failed/);
  }
});
