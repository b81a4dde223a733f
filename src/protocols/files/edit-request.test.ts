import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEdits } from "./edit-request.ts";

const samples = fileURLToPath(new URL("../../../../shared/samples/dynamic-ralph/", import.meta.url));
const absent = !existsSync(samples);
if (absent) console.warn(`skipped: Dynamic Ralph's own files are not at ${samples}`);
const sample = (name: string) => readEdits(readFileSync(samples + name, "utf8"));

const edits = (value: unknown) => readEdits(JSON.stringify(value));
const skip = { operation: "skip", target_step_id: "step-009", reason: "nothing to prune" };
const skipped = { op: "skip", reason: "nothing to prune", step: "step-009" };
const why = (value: unknown) => {
  const read = edits(value);
  return "unreadable" in read ? read.unreadable : read;
};

describe("the form of the file", () => {
  const forms: Record<string, string> = {
    "an array": JSON.stringify([skip]),
    "one object": JSON.stringify(skip, null, 2),
    "an object with operations": JSON.stringify({ operations: [skip] }),
    "an object with edits": JSON.stringify({ edits: [skip] }),
    "a block": `\`\`\`json\n${JSON.stringify([skip], null, 2)}\n\`\`\`\n`,
    "a byte order mark": `\uFEFF${JSON.stringify([skip])}\r\n`,
  };
  for (const [name, text] of Object.entries(forms))
    test(`[RA12 C46] ${name}`, () => expect(readEdits(text)).toEqual({ operations: [skipped], notes: [] }));

  test("[RA12] an empty array requests nothing", () => {
    expect(readEdits("[]")).toEqual({ operations: [], notes: [] });
  });
});

describe("the seven operations", () => {
  test.skipIf(absent)("[RA13 C49 C50 C51 C52 C53 C54] the examples of Dynamic Ralph are read without a note", () => {
    const steps = [
      { name: "coding", description: "Fix transition validation and auth check" },
      { name: "linting", description: "Re-lint after fixes" },
      { name: "initial_testing", description: "Re-run tests after fixes" },
    ];
    const names = ["add_after", "split", "skip", "reorder", "edit_description", "restart"];
    const read = names.map((name) => sample(`from-seed/edit.${name}.json`));
    expect(read.map((request) => ("notes" in request ? request.notes : request))).toEqual(names.map(() => []));
    const operations = read.flatMap((request) => ("operations" in request ? request.operations : []));
    expect(operations).toMatchObject([
      { op: "insert", after: "step-007", steps, reason: "2 tests failed — need fix cycle before review" },
      { op: "replace", step: "step-005", steps: [{ name: "coding" }, { name: "coding" }] },
      { op: "skip", step: "step-009" },
      { op: "reorder", order: ["005", "004", "006", "007", "008", "009", "010"].map((id) => `step-${id}`) },
      { op: "amend", step: "step-007", description: expect.stringContaining("rollback") as string },
      { op: "restart", step: "step-005", description: expect.stringContaining("Profile model") as string },
    ]);
    expect(sample("from-seed/edit-file.add_after.json")).toMatchObject({ operations: [{ after: "step-007", steps }] });
  });

  test("[RA13 C57] steps can be inserted before another step, which Dynamic Ralph could not express", () => {
    const before = {
      operation: "add_before",
      target_step_id: "step-010",
      reason: "r",
      new_steps: [{ type: "coding", description: "d" }],
    };
    expect(edits(before)).toEqual({
      operations: [{ op: "insert", reason: "r", before: "step-010", steps: [{ name: "coding", description: "d" }] }],
      notes: [],
    });
  });

  test("[RA13] the name of an operation is read in any case, with dashes or in one word", () => {
    for (const operation of ["SKIP", " skip ", "Skip"])
      expect(edits({ ...skip, operation })).toMatchObject({ operations: [skipped] });
    for (const operation of ["edit-description", "editDescription", "Edit Description"])
      expect(edits({ ...skip, operation, new_description: "d" })).toMatchObject({ operations: [{ op: "amend" }] });
  });
});

describe("spellings that agents use", () => {
  test.skipIf(absent)("[RA14 RA15 C46] real requests of real agents are read", () => {
    expect(sample("workflow_edits/oneshot.7e6cf87.json")).toMatchObject({ operations: { length: 3 }, notes: [] });
    const without = sample("workflow_edits/oneshot.7174a1e.json");
    expect(without).toMatchObject({ operations: { length: 8 }, notes: { length: 4 } });
    expect(sample("generated-by-5734a6b/step-007.edits.json")).toMatchObject({ operations: [{ after: "step-007" }] });
  });

  test("[RA14] obvious aliases are accepted, each with a note", () => {
    const steps = [
      { step_type: "coding", desc: "x" },
      { name: "linting", title: "y" },
    ];
    const read = edits([
      { op: "split", step_id: "step-005", reason: "r", new_steps: steps },
      {
        operation: "add_after",
        target: "step-005",
        reason: "r",
        replacement_steps: [{ type: "coding", description: "x" }],
      },
      {
        operation: "addAfter",
        targetStepId: "step-005",
        reason: "r",
        newSteps: { stepType: "coding", description: "x" },
      },
      { operation: "restart", target_step: "step-005", reason: "r", description: "again" },
      { operation: "reorder", order: ["step-005"], reason: "r" },
    ]);
    expect(read).toMatchObject({
      operations: [
        {
          op: "replace",
          step: "step-005",
          steps: [
            { name: "coding", description: "x" },
            { name: "linting", description: "y" },
          ],
        },
        { op: "insert", after: "step-005", steps: [{ name: "coding" }] },
        { op: "insert", after: "step-005", steps: [{ name: "coding" }] },
        { op: "restart", step: "step-005", description: "again" },
        { op: "reorder", order: ["step-005"] },
      ],
    });
    const notes = "notes" in read ? read.notes : [];
    expect(notes).toContain("operation 1: read `op` as `operation`");
    expect(notes).toContain("operation 1: read `new_steps` as `replacement_steps`");
    expect(notes).toContain("operation 2: read `target` as `target_step_id`");
    expect(notes).toContain('operation 3: read "targetStepId" as target_step_id');
    expect(notes).toContain("operation 4: read `description` as `new_description`");
    expect(notes).toContain("operation 5: read `order` as `new_order`");
  });

  test("[RA14] the documented spelling wins over an alias beside it", () => {
    expect(edits({ ...skip, step_id: "step-001", op: "restart" })).toEqual({ operations: [skipped], notes: [] });
  });

  test("[RA15 C47] a missing reason is noted, and the request is still accepted", () => {
    for (const reason of [undefined, "", "  ", 7])
      expect(edits({ ...skip, reason })).toEqual({
        operations: [{ ...skipped, reason: "no reason given" }],
        notes: ["it has no reason; say why in `reason`"],
      });
  });
});

describe("what cannot be read", () => {
  test("[RA16 C66] is refused with the operation and what to write instead", () => {
    expect(why([skip, { operation: "delete", reason: "r" }])).toBe(
      'operation 2: "delete" is not an operation; write one of add_after, add_before, split, skip, reorder, edit_description, restart',
    );
    const wrong: [object, string][] = [
      [{ operation: "skip", reason: "r" }, "target_step_id"],
      [{ ...skip, target_step_id: "../x" }, 'such as "step-005"; it is "../x"'],
      [{ ...skip, operation: "add_after" }, "new_steps"],
      [{ ...skip, operation: "add_after", new_steps: [] }, "new_steps"],
      [{ ...skip, operation: "add_after", new_steps: [{ description: "d" }] }, "new_steps[0] needs `type`"],
      [{ ...skip, operation: "add_after", new_steps: ["coding"] }, "new_steps[0] must be an object"],
      [{ ...skip, operation: "split", replacement_steps: null }, "replacement_steps[0]"],
      [{ ...skip, operation: "restart" }, "new_description"],
      [{ ...skip, operation: "edit_description", new_description: " " }, "new_description"],
      [{ ...skip, operation: "reorder", new_order: "step-001" }, "new_order"],
      [{ ...skip, operation: "reorder", new_order: [1] }, "new_order"],
      [{ reason: "r" }, "does not say its `operation`"],
    ];
    for (const [operation, hint] of wrong) expect(why(operation)).toContain(hint);
  });

  test("[RA16 C66] all wrong operations are named at once", () => {
    expect(why([{ op: "x" }, skip, 7])).toMatch(/^operation 1: .*\noperation 3: it must be an object/);
  });

  test("[RA16 C66] broken JSON is refused with its position", () => {
    expect(readEdits('[\n  {"operation": "skip",}\n]')).toEqual({
      unreadable: expect.stringMatching(
        /not valid JSON at line 2, column 24: .*found "}"; write one JSON array/,
      ) as string,
    });
    for (const text of ["", " ", "```json\n```", "skip step 9", "[1] [2]", '"skip"', "null"])
      expect(readEdits(text)).toHaveProperty("unreadable");
  });

  test("[RA17] a file of more than 1 MB and one with too many operations are refused", () => {
    expect(readEdits(JSON.stringify([{ ...skip, reason: "x".repeat(1_100_000) }]))).toHaveProperty("unreadable");
    expect(edits(Array.from({ length: 101 }, () => skip))).toHaveProperty("unreadable");
    const long = edits({ ...skip, reason: "ü".repeat(100_000) });
    expect("operations" in long && Buffer.byteLength(long.operations[0]?.reason ?? "")).toBeLessThanOrEqual(16_384);
  });
});

describe("[RA17 C66] whatever is in the file, reading it ends with operations or with a sentence", () => {
  const check = (text: string) => {
    const read = readEdits(text);
    if ("unreadable" in read) expect(read.unreadable.length).toBeGreaterThan(10);
    else {
      expect(read.notes.length).toBeLessThanOrEqual(30);
      for (const operation of read.operations) expect(operation.reason).not.toBe("");
    }
  };

  test("[RA17 C66] any text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        check(Buffer.from(bytes).toString("latin1"));
        check(Buffer.from(bytes).toString("utf8"));
      }),
    );
    fc.assert(fc.property(fc.json(), check));
  });

  test("[RA17 C66] anything that resembles operations, and pieces of it", () => {
    const keys =
      "operation op target_step_id step_id reason new_steps steps replacement_steps new_order type description new_description targetStepId";
    const key = fc.constantFrom(...keys.split(" "), "__proto__", "constructor", "toString");
    const word = fc.constantFrom(
      "skip",
      "split",
      "add_after",
      "add_before",
      "restart",
      "reorder",
      "edit-description",
      "step-001",
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        word,
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 6 }),
      ),
    }));
    let readable = 0;
    fc.assert(
      fc.property(value, fc.nat(400), (made, cut) => {
        const text = JSON.stringify(made);
        if ("operations" in readEdits(text)) readable++;
        check(text);
        check(text.slice(0, cut));
      }),
      { numRuns: 3_000 },
    );
    // Otherwise the property would only ever see refusals.
    expect(readable).toBeGreaterThan(20);
  });
});
