import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readStories } from "./stories.ts";

const story = (id: string, more: object = {}) => ({
  id,
  title: `Title ${id}`,
  description: `About ${id}`,
  acceptanceCriteria: ["Typecheck passes"],
  ...more,
});
const plan = [story("US-001"), story("US-002"), story("US-003")];
const idsOf = (text: string) => {
  const read = readStories(text);
  return read.kind === "stories" ? read.stories.map(({ id }) => id) : read;
};
const problemOf = (stories: unknown) => {
  const read = readStories(`STATUS: done\nSTORIES_JSON: ${JSON.stringify(stories)}`);
  return read.kind === "invalid" ? read.problem : read;
};

describe("finding the JSON", () => {
  const one = JSON.stringify(plan);
  const many = JSON.stringify(plan, null, 2);
  const forms: Record<string, string> = {
    "[A94] on one line": `STORIES_JSON: ${one}`,
    "[A94] on several lines": `STORIES_JSON:\n${many}`,
    "[A94] beginning on the line of the key": `STATUS: done\nSTORIES_JSON: ${many}`,
    "[A92] without a space": `STORIES_JSON:${one}`,
    "[A93] before a KEY line": `STORIES_JSON: ${many}\nSTATUS: done\nREPO: /x`,
    "[A93] before prose": `STORIES_JSON: ${one} That is [all].\nI hope {this} helps.`,
    "in bold": `**STORIES_JSON:** ${one}`,
    "under a heading": `## STORIES_JSON:\n\n${many}`,
    "followed by a block": `STORIES_JSON:\n\n\`\`\`json\n${many}\n\`\`\`\nSTATUS: done`,
    "with a block on its line": `STORIES_JSON: \`\`\`json\n${many}\n\`\`\``,
    "inside of a block": `\`\`\`\nSTATUS: done\nSTORIES_JSON: ${many}\n\`\`\`\nbye`,
    "with Windows line ends": `STORIES_JSON:\n${many}\nSTATUS: done`.replaceAll("\n", "\r\n"),
    "in code marks": `\`STORIES_JSON: ${one}\``,
    "as an item of a list": `- STORIES_JSON: ${one}`,
  };
  for (const [name, text] of Object.entries(forms))
    test(name, () => expect(idsOf(text)).toEqual(["US-001", "US-002", "US-003"]));

  test("[PR25 A93] a KEY line ends the JSON, colons and brackets in strings do not", () => {
    const tricky = [story("a", { description: 'URL:x ]} \\" [ {', acceptanceCriteria: ["STATUS: done", "URL: y"] })];
    const read = readStories(`STORIES_JSON: ${JSON.stringify(tricky, null, 1)}\nSTATUS: done`);
    expect(read).toMatchObject({ kind: "stories", stories: [{ acceptanceCriteria: ["STATUS: done", "URL: y"] }] });
  });

  test("[A93] JSON that a KEY line cuts off is not taken further", () => {
    expect(readStories('STORIES_JSON: [{"id": "a"\nSTATUS: done\n}]')).toEqual({
      kind: "invalid",
      problem: 'STORIES_JSON is not valid JSON at line 2, column 1: expected "," or "}", found the line STATUS:',
    });
  });

  test("[A34] an output without it plans nothing, and speaking of it is not planning", () => {
    for (const text of [
      "",
      "STATUS: done",
      "I will print STORIES_JSON: [] later",
      "ISSUES:\n- STORIES_JSON: lacks ids",
    ])
      expect(readStories(text)).toEqual({ kind: "none" });
  });

  test("[PR25] an echoed example does not win: the last plan counts", () => {
    const read = readStories(`STORIES_JSON: [ array of stories ]\n\nSTORIES_JSON: ${one}`);
    expect(read).toMatchObject({
      kind: "stories",
      notes: ["STORIES_JSON was given more than once; the last one counts"],
    });
  });
});

describe("[PR26 A95] JSON that cannot be parsed says where and why", () => {
  const problems: Record<string, string> = {
    "STORIES_JSON:": "line 1, column 14: expected a value, found the end of the output",
    "STATUS: done\nSTORIES_JSON: none": 'line 2, column 15: expected a value, found "none"',
    "STORIES_JSON: [\n {'id': 1}]": `line 2, column 3: expected a key in double quotes, found "'id': 1}]"`,
    'STORIES_JSON: [\n{"id": "a" "b"}]': 'line 2, column 12: expected "," or "}", found "\\"b\\"}]"',
    'STORIES_JSON: [{"id": "a\nb"}]':
      "line 1, column 25: expected the rest of the string (line breaks and tabs in it are written \\n and \\t), found a line break",
    "STORIES_JSON: [1,": "line 1, column 18: expected a value, found the end of the output",
  };
  for (const [text, problem] of Object.entries(problems))
    test(JSON.stringify(text), () => {
      expect(readStories(text)).toEqual({ kind: "invalid", problem: `STORIES_JSON is not valid JSON at ${problem}` });
    });
});

describe("checking the plan", () => {
  test("[PR27 A96] a story has id, title, description and criteria, and nothing of it is lost", () => {
    expect(readStories(`STORIES_JSON: ${JSON.stringify([story("US-1")])}`)).toEqual({
      kind: "stories",
      stories: [{ ...story("US-1"), dependsOn: [] }],
      notes: [],
    });
  });

  test("[A96] snake_case is accepted, extra fields are ignored with a note", () => {
    const { acceptanceCriteria, ...rest } = story("S1", { severity: "high", priority: 1 });
    const read = readStories(`STORIES_JSON: ${JSON.stringify([{ ...rest, acceptance_criteria: acceptanceCriteria }])}`);
    expect(read).toMatchObject({
      kind: "stories",
      stories: [{ acceptanceCriteria: ["Typecheck passes"] }],
      notes: ["STORIES_JSON[0]: ignored severity, priority"],
    });
  });

  test("[PR27 A96] problems name the index and the field", () => {
    const bad: [object, string][] = [
      [{ id: 3 }, ".id must be a non-empty string"],
      [{ id: undefined }, ".id must be a non-empty string"],
      [{ title: "  " }, ".title must be a non-empty string"],
      [{ description: null }, ".description must be a non-empty string"],
      [{ acceptanceCriteria: [] }, ".acceptanceCriteria must be a non-empty array of strings"],
      [{ acceptanceCriteria: "x" }, ".acceptanceCriteria must be a non-empty array of strings"],
      [{ acceptanceCriteria: ["x", 1] }, ".acceptanceCriteria must be a non-empty array of strings"],
      [
        { acceptanceCriteria: undefined, acceptance_criteria: [] },
        ".acceptance_criteria must be a non-empty array of strings",
      ],
      [{ dependsOn: 1 }, ".dependsOn must be an array of story ids"],
      [{ depends_on: [1] }, ".depends_on must be an array of story ids"],
    ];
    for (const [more, problem] of bad)
      expect(problemOf([story("a"), story("b"), story("c", more)])).toBe(`STORIES_JSON[2]${problem}`);
    expect(problemOf(["x"])).toBe("STORIES_JSON[0] must be an object");
    expect(problemOf([null, [], story("a")])).toBe(
      "STORIES_JSON[0] must be an object; STORIES_JSON[1] must be an object",
    );
  });

  test("[PR31] [antfarm F] [A99] one bad story refuses the whole plan", () => {
    expect(readStories(`STORIES_JSON: ${JSON.stringify([...plan, { id: "US-004" }])}`).kind).toBe("invalid");
  });

  test("[PR31 A99] an empty plan, and one that is no array, are refused", () => {
    expect(problemOf([])).toBe("STORIES_JSON must not be empty");
    expect(problemOf({ stories: plan })).toBe("STORIES_JSON must be an array of stories");
  });

  test("[PR28 A97] [A13] 20 stories are accepted, 21 are not", () => {
    const stories = Array.from({ length: 21 }, (_, index) => story(`S${index}`));
    expect(idsOf(`STORIES_JSON: ${JSON.stringify(stories.slice(0, 20))}`)).toHaveLength(20);
    expect(problemOf(stories)).toBe("STORIES_JSON has 21 stories; at most 20 are allowed");
  });

  test("[PR29 A98] ids are unique, also where case is not told apart", () => {
    expect(problemOf([story("a"), story("b"), story("A")])).toBe(
      'STORIES_JSON[2].id "A" is already the id of STORIES_JSON[0]',
    );
  });

  test("[PR29 A98] ids are safe as names of files and branches; `fix-001` is an id like any other", () => {
    for (const id of ["../x", "a b", "-a", "a..b", "x.lock", "a/b", "é"])
      expect(problemOf([story(id)])).toContain("STORIES_JSON[0].id");
    expect(idsOf(`STORIES_JSON: ${JSON.stringify([story("fix-001"), story("FIX-1")])}`)).toEqual(["fix-001", "FIX-1"]);
  });

  test("dependencies are ids in either spelling, one or many", () => {
    const stories = [
      story("a", { depends_on: "" }),
      story("b", { depends_on: "a" }),
      story("c", { dependsOn: ["a", "b", "a"] }),
    ];
    const read = readStories(`STORIES_JSON: ${JSON.stringify(stories)}`);
    expect(read.kind === "stories" && read.stories.map(({ dependsOn }) => dependsOn)).toEqual([[], ["a"], ["a", "b"]]);
  });

  test("[PR30] dependencies on nothing and in a circle are refused", () => {
    expect(problemOf([story("a", { dependsOn: ["z"] })])).toBe(
      'STORIES_JSON[0].dependsOn names "z", which is not in the plan',
    );
    const circle = [story("a", { dependsOn: "c" }), story("b", { dependsOn: "a" }), story("c", { dependsOn: "b" })];
    expect(problemOf(circle)).toBe("STORIES_JSON has a cycle of dependencies: a -> c -> b -> a");
    expect(problemOf([story("a", { dependsOn: "a" })])).toContain("a -> a");
  });

  test("only a few of many problems are told", () => {
    const problem = problemOf(Array.from({ length: 8 }, () => 1));
    expect(problem).toMatch(/STORIES_JSON\[4\] must be an object; and 3 more$/);
  });
});

test("reading stories never throws, and what it accepts is a plan", () => {
  const text = fc.array(
    fc.oneof(
      fc.constantFrom(
        "STORIES_JSON: ",
        "STORIES_JSON:\n",
        "```json\n",
        "\n",
        "[",
        "]",
        "{",
        "}",
        ",",
        '"',
        "\0",
        "\ud800",
        "STATUS: done\n",
      ),
      fc.json({ maxDepth: 3 }),
      fc
        .array(
          fc.record(
            {
              id: fc.string(),
              title: fc.string(),
              description: fc.string(),
              acceptanceCriteria: fc.array(fc.string()),
              dependsOn: fc.anything(),
            },
            { requiredKeys: [] },
          ),
        )
        .map((stories) => JSON.stringify(stories)),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(text, (parts) => {
      const read = readStories(`STORIES_JSON: ${parts.join("")}`);
      expect(read.kind === "stories" ? read.stories.length > 0 : read.kind === "invalid").toBe(true);
      expect(read.kind === "invalid" ? read.problem : "STORIES_JSON").toMatch(/^STORIES_JSON/);
      readStories(parts.join(""));
    }),
    { numRuns: 2_000 },
  );
});

test("a megabyte takes little time", () => {
  for (const unit of ["STORIES_JSON: [\n", "[", "{", '"', " ", "\n"]) {
    const before = process.cpuUsage();
    readStories(`STORIES_JSON: ${unit.repeat(1_000_000 / unit.length)}`);
    expect({ unit, slow: cpuMs(before) > 3_000 }).toEqual({ unit, slow: false });
  }
});

/** Of this process: a busy machine makes nobody slow. */
function cpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
