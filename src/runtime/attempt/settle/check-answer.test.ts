// Checks of attempts in a run: their variables, their facts, and tests that must fail.

import { expect, test } from "vitest";
import { makeWorld } from "../../../../test/support/world.ts";

/** Runs the tests of a file with lines such as `not ok adds`. */
const runner = `n=0; while read -r line; do n=$((n+1)); echo "$line" | sed "s/ok /ok $n - /"; done < tests.txt; echo "1..$n"`;
const tapRunner = JSON.stringify(runner);

test("[RS8 RS9 D63 D66] checks know their attempt and have no token; their facts are kept after a rejection, which stays", async () => {
  const world = await makeWorld({
    agent: `cat >/dev/null
case $PAWL_ATTEMPT in
1) printf 'not ok adds\\nok old\\n' >tests.txt; printf 'STATUS: retry\\nREASON: unclear\\nwhy\\n' ;;
2) printf 'STATUS: done\\n' ;;
*) printf 'ok adds\\nok old\\n' >tests.txt; printf 'STATUS: done\\n' ;;
esac`,
    steps: `
  - id: work
    agent: worker
    input: "{{task}}"
    checks:
      - 'test "$PAWL_STEP" = work && test -n "$PAWL_RUN$PAWL_ATTEMPT" && test -z "$PAWL_TOKEN" && touch checked'
      - { run: ${tapRunner}, reads: tap }
    on: { rejected: { again, at_most: 3 } }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  const ended = (await world.events(run)).flatMap((event) => (event.type === "attempt_ended" ? [event] : []));
  expect(ended.map(({ verdict }) => verdict)).toEqual([
    { kind: "rejected", reason: "unclear" },
    { kind: "rejected", reason: "checks" },
    { kind: "passed" },
  ]);
  expect(ended[0]?.facts).toMatchObject({ tests: { pass: 1, fail: 1, skip: 0 }, failing_tests: ["adds"] });
  expect(ended[0]?.facts?.["checks"]).toHaveLength(1);
  expect(ended[1]?.facts).toMatchObject({ tests: { pass: 1, fail: 1, skip: 0 } });
  expect(ended[2]?.facts).toMatchObject({ tests: { pass: 2, fail: 0, skip: 0 }, failing_tests: [] });
});

test("[RS5 RS6 RS7 D67] a scaffold passes with new tests that fail, also when its agent says so; on a later visit without new tests", async () => {
  const world = await makeWorld({
    agent: `cat >/dev/null
case $PAWL_STEP$PAWL_ATTEMPT in
scaffold1) printf 'STATUS: done\\n' ;;
scaffold2) printf 'ok adds\\nnot ok divides\\n' >>tests.txt; printf 'STATUS: done\\n' ;;
scaffold3) sed -i 's/^ok adds/not ok adds/' tests.txt; printf 'STATUS: retry\\n' ;;
impl1) sed -i 's/^not ok/ok/' tests.txt; printf 'STATUS: retry\\n' ;;
*) printf 'STATUS: done\\n' ;;
esac`,
    steps: `
  - id: start
    command: printf 'not ok broken before\\nok old\\n' >tests.txt; git add .; git -c user.name=A -c user.email=a@example.invalid commit -qm old
  - id: scaffold
    agent: worker
    input: "{{task}}"
    checks: [{ run: ${tapRunner}, reads: tap, must: fail }]
    on: { rejected: { again, at_most: 4 } }
  - id: impl
    agent: worker
    input: "{{task}}"
    on: { rejected: { back_to: scaffold, at_most: 1 } }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  const ended = (await world.events(run)).flatMap((event) => (event.type === "attempt_ended" ? [event] : []));
  const why = ended.map(({ verdict, facts }) => ({ verdict, said: JSON.stringify(facts?.["said"] ?? "") }));
  const checks = { kind: "rejected", reason: "checks" };
  expect(why.map(({ verdict }) => verdict)).toEqual([
    { kind: "passed" }, // start
    checks, // only an old test fails
    checks, // a new one passes
    { kind: "passed" }, // "retry" without a reason
    { kind: "rejected", reason: null }, // impl sends it back, and all tests pass by then
    { kind: "passed" }, // nothing new
    { kind: "passed" },
  ]);
  expect(why[1]?.said).toContain("none that this step wrote");
  expect(why[2]?.said).toContain("a new test passes before there is code for it: adds");
  expect(ended[3]).toMatchObject({ facts: { tests: { pass: 1, fail: 3, skip: 0 } } });
});
