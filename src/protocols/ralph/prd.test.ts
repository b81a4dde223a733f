import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../domain/error.ts";
import { PassMarks } from "./pass-marks.ts";
import { readPrd } from "./prd.ts";

const samples = fileURLToPath(new URL("../../../../shared/samples/dynamic-ralph/", import.meta.url));
const absent = !existsSync(samples);
if (absent) console.warn(`skipped: Dynamic Ralph's own files are not at ${samples}`);
const sample = (name: string) => readFileSync(samples + name, "utf8");

const story = (id: string, more: object = {}) => ({ id, title: `Title ${id}`, description: `About ${id}`, ...more });
const read = (value: unknown) => readPrd(JSON.stringify(value, null, 2), "prd.json");

function failure(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}
const problemsOf = (value: unknown) =>
  failure(() => read(value)).details.map((line) => line.replace(/^prd\.json:\d+:\d+: /, ""));

describe("the forms of a PRD", () => {
  const stories = [story("US-001"), story("US-007", { depends_on: ["US-001"] })];
  const forms = { userStories: stories, user_stories: stories, stories };
  for (const [key, list] of Object.entries(forms))
    test(`[RA5 C12] ${key}`, () => {
      const prd = read({ project: "shop", description: "a shop", [key]: list });
      expect(prd.title).toBe("shop");
      expect(prd.stories.map(({ id }) => id)).toEqual(["US-001", "US-007"]);
    });

  test("[RA5 C12] a bare array is named after its file", () => {
    const prd = readPrd(JSON.stringify(stories), "plans/prd.json");
    expect(prd).toMatchObject({ title: "prd.json", stories: [{ id: "US-001" }, { id: "US-007" }] });
  });

  test("[RA5] a byte order mark and Windows line ends are accepted", () => {
    const text = `\uFEFF${JSON.stringify(stories, null, 2).replaceAll("\n", "\r\n")}`;
    expect(readPrd(text, "prd.json").stories).toHaveLength(2);
  });

  test("[RA5] of two lists one is used, and a note says which", () => {
    const prd = read({ stories: [story("a")], userStories: [story("b")] });
    expect(prd.stories.map(({ id }) => id)).toEqual(["b"]);
    expect(prd.notes.join()).toContain("userStories was used");
  });

  test.skipIf(absent)("[RA5 C3 C12] files that real projects have are read", () => {
    const flat = readPrd(sample("prd.flat.7174a1e.json"), "prd.json");
    expect(flat.stories.length).toBeGreaterThan(5);
    expect(flat.stories[0]).toMatchObject({ id: "US-001", priority: 1, passes: true });
    expect(flat.stories[0]?.acceptanceCriteria).toHaveLength(7);
    const rich = readPrd(sample("generated-by-5734a6b/prd.rich.json"), "prd.json");
    expect(rich.title).toBe("demo");
    expect(rich.stories.map(({ dependsOn }) => dependsOn)).toEqual([[], ["US-001"], [], ["US-003"], []]);
    expect(rich.stories[4]).toMatchObject({ passes: true, description: "d\n\nalready done" });
  });
});

describe("the fields of a story", () => {
  test("[RA6 C3 C12 C13] id and title suffice; both spellings are read, other fields are ignored", () => {
    const { stories, notes } = read([
      { id: "a", title: "A" },
      { ...story("b"), acceptanceCriteria: ["x"], dependsOn: ["a"], priority: 2, touches: ["src/b"], effort: "big" },
      { ...story("c"), acceptance_criteria: ["y"], depends_on: ["a", "b", "a"], notes: "mind the gap" },
    ]);
    expect(stories).toEqual([
      { id: "a", title: "A", description: "", acceptanceCriteria: [], dependsOn: [], passes: false },
      {
        id: "b",
        title: "Title b",
        description: "About b",
        acceptanceCriteria: ["x"],
        dependsOn: ["a"],
        passes: false,
        priority: 2,
        touches: ["src/b"],
      },
      {
        id: "c",
        title: "Title c",
        description: "About c\n\nmind the gap",
        acceptanceCriteria: ["y"],
        dependsOn: ["a", "b"],
        passes: false,
      },
    ]);
    expect(notes).toEqual(["a has no acceptance criteria"]);
  });

  test("[RA6] criteria in one string are one, or as many as it lists", () => {
    const { stories, notes } = read([
      story("a", { acceptanceCriteria: "It works" }),
      story("b", { acceptanceCriteria: "- one\n- two\n  and more\n3. three" }),
    ]);
    expect(stories.map(({ acceptanceCriteria }) => acceptanceCriteria)).toEqual([
      ["It works"],
      ["one", "two\nand more", "three"],
    ]);
    expect(notes).toHaveLength(2);
  });
});

describe("what is refused", () => {
  test("[RA7] a file that is not JSON, with line and column", () => {
    const error = failure(() => readPrd('{\n  "stories": [\n    {"id": "a",}\n  ]\n}', "prd.json"));
    expect(error.exitCode).toBe(2);
    expect(error.message).toBe('prd.json:3:16: not valid JSON: expected a key in double quotes, found "}"');
    expect(error.hint).not.toBe("");
    expect(failure(() => readPrd("[] []", "prd.json")).message).toContain("prd.json:1:4: not valid JSON");
  });

  test("[RA7] an empty file, and one without stories", () => {
    for (const text of ["", " \n", "\uFEFF\n"])
      expect(failure(() => readPrd(text, "prd.json")).message).toBe("prd.json is empty");
    expect(failure(() => readPrd("[]", "prd.json")).message).toContain("has no stories");
    expect(failure(() => readPrd('{"tasks": []}', "prd.json")).message).toContain("no list of stories (it has tasks)");
    expect(failure(() => readPrd('"x"', "prd.json")).message).toContain("no list of stories");
    expect(failure(() => read(story("a"))).hint).toContain("put it into an array");
  });

  test("[RA7] all problems at once, in order, each with its position", () => {
    const text = `[
  { "id": "a", "title": "" },
  "b",
  { "id": 3, "title": "C" },
  { "id": "d", "title": "D", "acceptanceCriteria": ["x",
    7], "passes": "yes" }
]`;
    const error = failure(() => readPrd(text, "prd.json"));
    expect(error.message).toBe("prd.json has 5 problems");
    expect(error.details).toEqual([
      "prd.json:2:25: a: title must be a non-empty string",
      "prd.json:3:3: a story must be an object with `id` and `title`",
      "prd.json:4:11: a story: id must be a non-empty string",
      "prd.json:6:5: d: acceptanceCriteria[1] must be a string",
      "prd.json:6:19: d: passes must be true or false",
    ]);
  });

  test("[RA7] a single problem is the message itself", () => {
    expect(failure(() => read([{ id: "a" }])).message).toMatch(/^prd\.json:2:3: a: title must be/);
  });

  test("[RA7] wrong types", () => {
    const wrong = { description: 1, depends_on: {}, priority: "high", touches: [1], notes: { a: 1 } };
    expect(problemsOf([story("a", wrong)])).toEqual([
      "a: description must be a string",
      "a: depends_on must be a list of strings",
      "a: priority must be a number; the lowest starts first",
      "a: touches[0] must be a string",
      "a: notes must be a list of strings",
    ]);
  });

  test("[RA8 C15] ids that cannot name files and branches, or occur twice; `FIX-1` is an id like any other", () => {
    for (const id of ["../x", "a/b", "a b", "x..y", "-x", "a.lock", "constructor", "x".repeat(65)])
      expect(problemsOf([story(id)])[0]).toContain("cannot be part of a file or branch name");
    expect(readPrd(JSON.stringify([story("FIX-1"), story("fix-002")]), "prd.json").stories).toHaveLength(2);
    expect(problemsOf([story("a"), story("a")])).toEqual(['the id "a" is given twice']);
    expect(problemsOf([story("US-a"), story("us-A")])[0]).toContain("differ only in case");
  });

  test("[RA9 C14 C15] unknown dependencies, a dependency on itself, and cycles with their stories", () => {
    expect(problemsOf([story("US-1", { depends_on: ["us-1", "US-1", "x"] })])).toEqual([
      'US-1 depends on "us-1", which is not in the file; did you mean US-1?',
      "US-1 depends on itself",
      'US-1 depends on "x", which is not in the file',
    ]);
    const cycle = [
      story("US-001", { depends_on: ["US-003"] }),
      story("US-002"),
      story("US-003", { depends_on: ["US-001"] }),
    ];
    const error = failure(() => read(cycle));
    expect(error.message).toContain("US-001 -> US-003 -> US-001");
    expect(error.exitCode).not.toBe(0);
  });

  test("[RA10 C16] no story waits for one that has passed", () => {
    const done = story("a", { passes: true, depends_on: ["b"] });
    expect(read([done, story("b", { depends_on: ["a"] })]).stories.map(({ passes }) => passes)).toEqual([true, false]);
  });
});

test("[RA9] thousands of stories, also in one long chain, are read in well under a second", () => {
  const many = Array.from({ length: 2_000 }, (_, n) =>
    story(`US-${n}`, { description: "x".repeat(500), depends_on: n === 0 ? [] : [`US-${n - 1}`] }),
  );
  const text = JSON.stringify({ userStories: many }, null, 2);
  // Of this process alone: other tests run at the same time.
  const before = process.cpuUsage();
  expect(readPrd(text, "prd.json").stories).toHaveLength(2_000);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
  expect(markPassed(text, ["US-1999"]).length).toBeGreaterThan(text.length);
  const broken = failure(() => readPrd(text.replaceAll('"title"', '"titel"'), "prd.json"));
  expect(broken.details).toHaveLength(2_000);
});

/** As a process does that has not seen the file before. */
function markPassed(text: string, ids: readonly string[]): string {
  return new PassMarks().mark(text, new Map(ids.map((id) => [id, true])));
}

describe("writing back what has passed", () => {
  test("[RA11 C17] only the value changes, whatever the file looks like", () => {
    const text = [
      '\uFEFF{ "project" : "caf\\u00e9",\r',
      '  "userStories": [\r',
      '    {"id": "US-001", "title": "a \\"passes\\": false", "passes" :false , "notes": "",  "x": [1,2 ]},\r',
      '\t{ "passes":false, "id":"US-\\u0030\\u0030\\u0032", "title":"b" },\r',
      '    {"id": "US-003", "title": "c", "passes": false}\r',
      "  ]  } \r",
    ].join("\n");
    const marked = markPassed(text, ["US-001", "US-002", "unknown"]);
    expect(marked).toBe(text.replace('"passes" :false ', '"passes" :true ').replace('"passes":false', '"passes":true'));
    expect(markPassed(marked, ["US-001"])).toBe(marked);
  });

  test("[RA11 C17] a missing `passes` is added in the style of the story's other keys", () => {
    const text =
      '[\n    {\n        "id" : "a",\n        "title" : "A"\n    },\n    {"id":"b","title":"B"},\n    { "id": "c" }\n]\n';
    expect(markPassed(text, ["a", "b", "c"])).toBe(
      '[\n    {\n        "id" : "a",\n        "title" : "A",\n        "passes" : true\n    },\n' +
        '    {"id":"b","title":"B","passes":true},\n    { "id": "c", "passes": true }\n]\n',
    );
  });

  test.skipIf(absent)("[RA11 C17] in a real file one word changes", () => {
    const text = sample("generated-by-5734a6b/prd.rich.json");
    const marked = markPassed(text, ["US-003"]);
    expect(marked).toHaveLength(text.length - 1);
    const line = (of: string) => of.split("\n").find((part) => part.includes("US-003")) ?? "";
    expect(line(marked)).toBe(line(text).replace('"passes":false', '"passes":true'));
    expect(marked.replace(line(marked), "")).toBe(text.replace(line(text), ""));
  });

  test("[RA11] it marks only the chosen stories as passed and changes nothing else", () => {
    const noise = fc.dictionary(fc.constantFrom("passes", "notes", "x", "a b"), fc.jsonValue({ maxDepth: 2 }));
    const anyPrd = fc.uniqueArray(fc.record({ id: fc.constantFrom("a", "b", "c", "d"), more: noise }), {
      selector: ({ id }) => id,
      minLength: 1,
    });
    const indents = fc.constantFrom("", "  ", "\t");
    fc.assert(
      fc.property(anyPrd, indents, fc.subarray(["a", "b", "c", "d"]), (prd, indent, ids) => {
        const value = prd.map(({ id, more }) => ({ ...more, id }));
        const marked = markPassed(JSON.stringify(value, null, indent), ids);
        expect(JSON.parse(marked)).toEqual(
          JSON.parse(JSON.stringify(value.map((item) => (ids.includes(item.id) ? { ...item, passes: true } : item)))),
        );
      }),
    );
  });

  test("[RA44] one after the other is the same as all at once, also if a person edits the file meanwhile", () => {
    const items = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 1, maxLength: 8 });
    const style = fc.array(fc.constantFrom('"passes": false, ', '"passes" :true,', ""), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(items, style, fc.nat(8), (order, styles, editAt) => {
        const stories = ["a", "b", "c", "d", "e"].map(
          (id, index) => `{ "id": "${id}", ${styles[index]}"title": "${id}" }`,
        );
        let text = `\uFEFF[\n  ${stories.join(",\n  ")}\n]\n`;
        const marks = new PassMarks();
        for (const [index, id] of order.entries()) {
          if (index === editAt) text = text.replace('"title": "b"', '"title": "a longer title of b"');
          const expected = markPassed(text, [id]);
          text = marks.mark(text, new Map([[id, true]]));
          expect(text).toBe(expected);
        }
      }),
    );
  });
});
