import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { runGit } from "../../../test/support/repository.ts";
import { makeWorld } from "../../../test/support/world.ts";

test("[PO12] checks that an older Pawl recorded as texts run, in the chain and in the stories", async () => {
  const world = await makeWorld({
    agent: "cat >/dev/null; echo STATUS: done",
    steps: `
  - { id: work, agent: worker, input: "{{task}}", checks: ["test -e README.md", "echo ran > checked"] }
  - { id: s, stories: true, body: [{ id: b, agent: worker, checks: ["true"] }] }
`,
  });
  const run = await world.begin();
  const database = new DatabaseSync(world.home.storeFile);
  const older = (
    definition: string,
  ) => `json_set(body, '${definition}.steps[0].checks', json('["true", "echo ran > checked"]'),
    '${definition}.steps[1].body[0].checks', json('["true"]'))`;
  database.exec(`
    update definitions set body = ${older("$")};
    update events set body = ${older("$.definition")} where type = 'run_started';
  `);
  database.close();

  const parts = await world.open();
  const expected = {
    steps: [{ checks: [{ run: "true" }, { run: "echo ran > checked" }] }, { body: [{ checks: [{ run: "true" }] }] }],
  };
  expect((await parts.store.wholeRun(run))?.header.definition).toMatchObject(expected);
  expect((await parts.store.events(run, 0, 1))[0]?.event).toMatchObject({ definition: expected });
  await world.drive(run, { parts });
  const [ended] = (await world.events(run)).filter(({ type }) => type === "attempt_ended");
  expect(ended).toMatchObject({
    facts: {
      checks: [
        { run: "true", passed: true },
        { run: "echo ran > checked", passed: true },
      ],
    },
  });
});

const keepsLog = `
echo log > progress.txt
echo work > work.txt
git add --all
git -c user.name=A -c user.email=a@example.invalid commit --quiet --message=work
echo STATUS: done
`;

test("[PO12 PO4] a run that an older Pawl recorded has its protocol and the file of its stories, commits no file of the protocol, and goes to its end", async () => {
  const world = await makeWorld({ agent: keepsLog });
  const run = await world.begin();
  const database = new DatabaseSync(world.home.storeFile);
  database.exec(`
    update definitions set body = json_remove(json_set(body, '$.dialect', 'antfarm'), '$.protocol');
    update runs set header = json_set(header, '$.place.prd', '/x/prd.json');
    update events set body = json_set(
      json_remove(json_set(body, '$.definition.dialect', 'antfarm'), '$.definition.protocol'),
      '$.place.prd', '/x/prd.json') where type = 'run_started';
  `);
  database.close();

  const parts = await world.open();
  const { header } = (await parts.store.wholeRun(run)) ?? {};
  expect(header).toMatchObject({ place: { source: "/x/prd.json" }, definition: { protocol: "antfarm" } });
  expect(header?.place).not.toHaveProperty("prd");
  const [started] = await parts.store.events(run, 0, 1);
  expect(started?.event).toMatchObject({ place: { source: "/x/prd.json" }, definition: { protocol: "antfarm" } });
  expect(await world.drive(run, { parts })).toBe("done");
  const tree = runGit(world.repo, "ls-tree", "--name-only", header?.place.branch ?? "").split("\n");
  expect(tree).toContain("work.txt");
  expect(tree).not.toContain("progress.txt");
});
