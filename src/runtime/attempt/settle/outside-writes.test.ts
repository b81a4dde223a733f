// `reads` and `writes`: what prompts list of them, and what is said about changes outside.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toy } from "../../../../test/support/toy-protocol.ts";
import { makeToyWorld } from "../../../../test/support/toy-world.ts";
import { makeWorld } from "../../../../test/support/world.ts";
import { loadWorkflow } from "../../../workflows/load.ts";

const workflow = `
pawl: 1
protocol: toy
id: toy-work
agents: { worker: {} }
steps:
  - id: all
    stories: { workspace: worktree }
    body:
      - id: make
        agent: worker
        reads: [README.md, "docs/{{current_story_id}}.md", "src/**/*.ts"]
        writes: ["docs/{{current_story_id}}.md", "*.ts"]
        input: "Read:\\n{{reads}}\\nWrite:\\n{{writes}}"
        on: { rejected: { again, at_most: 1, then: fail } }
      - { id: land, integrate: true }
`;

const agent = `cat >/dev/null
mkdir -p docs src/a coverage
echo x > docs/one.md; echo x > src/a/b.ts; echo x > coverage/c.html; echo x > "other $PAWL_ATTEMPT.txt"
[ "$PAWL_ATTEMPT" = 2 ] || { echo "STATUS: retry"; exit; }
rm README.md
git add --all; git -c user.name=A -c user.email=a@example.invalid commit --quiet --message=mine
echo "STATUS: done"`;

const prompted = `Read:
- README.md
- docs/one.md (not present)
- src/**/*.ts
Write:
- docs/one.md
- *.ts`;

test.each([[false], [true]])(
  "[WF91 WF92 D27 D102] the prompt lists them, a missing file is marked, and what changed outside is a note (in place: %s)",
  async (inPlace) => {
    const { world, begin, drive } = await makeToyWorld(toy, { workflow, agent, inPlace });
    const run = await begin();
    expect(await drive(run)).toBe("done");
    expect(readFileSync(join(world.home.logs, run, "one-make-1.prompt.md"), "utf8")).toContain(prompted);
    const attempts = (await world.attempts(run)).filter(({ name }) => name === "make");
    expect(attempts.map(({ state }) => (state.phase === "ended" ? state.notes : null))).toEqual([
      ["changed outside of its `writes`: other 1.txt"],
      ["changed outside of its `writes`: README.md, other 2.txt"],
    ]);
  },
);

test("[WF93] a value that leads out of the project fails the attempt with the reason, and no agent starts", async () => {
  const world = await makeWorld({
    agent: 'echo x >> "$PAWL_SHARED/started"; printf "STATUS: done\\nPLACE: ../../etc/passwd\\n"',
    steps: `
  - { id: plan, agent: worker, input: go }
  - { id: work, agent: worker, input: "{{reads}}", reads: ["{{place}}"], on_error: fail }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("failed");
  expect(world.read("started")).toBe("x\n");
  const [, failed] = await world.attempts(run);
  expect(failed?.state).toMatchObject({
    why: expect.stringContaining('work: {{place}} becomes "../../etc/passwd": it leads out of the project'),
  });
});

test.each([
  ["/etc/passwd", "it is not relative to the project"],
  ["~/x", "it is not relative to the project"],
  ["a/../../b", "it leads out of the project"],
  ["C:/x", "it is not relative to the project"],
  ["", "it is empty"],
])("[WF93] %j is refused in a workflow", (path, why) => {
  const step = `{ id: work, agent: worker, writes: [${JSON.stringify(path)}] }`;
  const { problems } = loadWorkflow(`pawl: 1\nid: x\nagents: { worker: {} }\nsteps:\n  - ${step}\n`, "w.yml");
  expect(problems.map(({ message }) => message)).toEqual([
    `Step 'work': \`writes\` has ${JSON.stringify(path)}: ${why}`,
  ]);
});

test("[WF91] a key in them that nothing sets is warned of; a command has neither", () => {
  const load = (step: string) =>
    loadWorkflow(`pawl: 1\nid: x\nagents: { worker: {} }\nsteps:\n  - ${step}\n`, "w.yml").problems;
  expect(load('{ id: work, agent: worker, reads: ["{{nothing}}"] }')).toMatchObject([
    { severity: "warning", message: "Step 'work': `{{nothing}}` is never set" },
  ]);
  expect(load('{ id: work, command: "true", writes: [a] }')).toMatchObject([{ severity: "error" }]);
});
