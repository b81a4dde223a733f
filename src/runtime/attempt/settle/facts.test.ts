// Facts of attempts: what one that did not pass said and changed is kept with its end.

import { expect, test } from "vitest";
import { makeWorld } from "../../../../test/support/world.ts";

test("[AT17 B44] what attempts reported that did not pass, their checks and the files that they changed are in the log", async () => {
  const world = await makeWorld({
    agent: `cat >/dev/null
case $PAWL_ATTEMPT in
1) echo x >new.txt; echo y >>README.md; git add README.md; git commit -qm half; printf 'STATUS: retry\\nSCORE: 3\\n' ;;
2) echo "I was about to say it"; exit 4 ;;
3) printf 'STATUS: done\\nSCORE: 5\\n' ;;
*) rm new.txt; printf 'STATUS: done\\nSCORE: 9\\n' ;;
esac`,
    steps: `
  - id: work
    agent: worker
    input: "{{task}}"
    checks: ["true", "test ! -e new.txt"]
    on: { rejected: { again, at_most: 3 } }
    on_error: { again, at_most: 3 }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  const ended = (await world.events(run)).flatMap((event) => (event.type === "attempt_ended" ? [event] : []));
  const red = [
    { run: "true", passed: true },
    { run: "test ! -e new.txt", passed: false },
  ];
  expect(ended.map(({ outcome }) => outcome)).toEqual(["completed", "failed", "completed", "completed"]);
  expect(ended[0]?.facts).toMatchObject({ outputs: { score: "3" }, files: ["README.md", "new.txt"] });
  expect(ended[1]?.facts).toMatchObject({ said: expect.stringContaining("I was about to say it") });
  expect(ended[1]?.facts).not.toHaveProperty("files");
  expect(ended[2]?.facts).toMatchObject({ outputs: { score: "5" }, checks: red });
  expect(ended[3]?.facts).toEqual({ checks: red.map((check) => ({ ...check, passed: true })) });
});
