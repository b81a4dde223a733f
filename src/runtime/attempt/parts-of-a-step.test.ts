// Parts of a step with real processes, real git and a real store.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../../../test/support/until.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { baseOf } from "../../domain/attempt.ts";
import type { RunId } from "../../domain/ids.ts";
import { recover } from "../loop/recover.ts";

const review = (more = "") => `
  - id: review
    agent: worker
    access: read
    parts: [security, speed, style]
    produces: [verdict]
    input: "Look for {{part}}."
    ${more}
  - { id: sum, agent: worker, input: "All: {{review.*.verdict}} One: {{review.speed.verdict}}" }
`;

const partsOf = async (world: World, run: RunId) =>
  Object.fromEntries(
    ((await world.run(run)).header.chain[0]?.parts ?? []).map(({ name, state }) => [name, state.status]),
  );

describe("parts of a step", () => {
  test("[PT1 PT12 PF23 WF121] run at the same time on one snapshot, know their names, and are read by name", async () => {
    const agent = `
cat > "$PAWL_SHARED/prompt-$PAWL_STEP-$PAWL_PART"
if [ "$PAWL_STEP" = review ]; then
  touch "$PAWL_SHARED/at-$PAWL_PART"
  for part in security speed style; do while [ ! -e "$PAWL_SHARED/at-$part" ]; do sleep 0.05; done; done
  echo "VERDICT: $PAWL_PART is fine"
fi
echo STATUS: done
`;
    const world = await makeWorld({ agent, steps: review() });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(world.read("prompt-review-speed")).toContain("Look for speed.");
    expect(world.read("prompt-sum-")).toContain(
      "All: security: security is fine\nspeed: speed is fine\nstyle: style is fine One: speed is fine",
    );
    const reviews = (await world.attempts(run)).filter(({ part }) => part !== undefined);
    expect(reviews).toHaveLength(3);
    expect(new Set(reviews.map(baseOf)).size).toBe(1);
  });

  test("[PT7 WF118] `first` stops the others: their processes are gone before the step goes on", async () => {
    const agent = `
case "$PAWL_STEP-$PAWL_PART" in
review-speed)
  while [ ! -s "$PAWL_SHARED/security" ] || [ ! -s "$PAWL_SHARED/style" ]; do sleep 0.05; done ;;
review-*)
  echo $$ > "$PAWL_SHARED/$PAWL_PART"; sleep 600 ;;
sum-)
  if kill -0 "$(cat "$PAWL_SHARED/security")"; then echo alive; else echo gone; fi > "$PAWL_SHARED/seen" ;;
esac
echo "VERDICT: ok"
echo STATUS: done
`;
    const world = await makeWorld({ agent, steps: review("need: first") });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(await partsOf(world, run)).toEqual({ security: "stopped", speed: "passed", style: "stopped" });
    expect(world.read("seen")).toBe("gone\n");
  });

  test("[PF23] a part that writes where it may only read fails, with those that ran beside it, and the tree is put back", async () => {
    const agent = `
if [ "$PAWL_STEP" = review ] && [ "$PAWL_ATTEMPT" = 1 ]; then
  touch "$PAWL_SHARED/at-$PAWL_PART"
  for part in security speed style; do while [ ! -e "$PAWL_SHARED/at-$part" ]; do sleep 0.05; done; done
  [ "$PAWL_PART" = speed ] && echo changed > README.md && touch "$PAWL_SHARED/changed"
  while [ ! -e "$PAWL_SHARED/changed" ]; do sleep 0.05; done
fi
[ "$PAWL_STEP" = sum ] && git status --porcelain > "$PAWL_SHARED/seen"
echo "VERDICT: ok"
echo STATUS: done
`;
    const world = await makeWorld({ agent, steps: review() });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(world.read("seen")).toBe("");
    const first = (await world.attempts(run)).filter(({ part, number }) => part !== undefined && number === 1);
    expect(first.map(({ state }) => (state.phase === "ended" ? state.outcome : ""))).toEqual([
      "failed",
      "failed",
      "failed",
    ]);
    expect(first.map(({ state }) => (state.phase === "ended" ? state.why : "")).join()).toContain("README.md");
  });

  test("[PF23] a part is not repeated in a changed tree: it waits until the one that changed it has ended", async () => {
    const agent = `
if [ "$PAWL_STEP-$PAWL_ATTEMPT" = review-1 ]; then
  touch "$PAWL_SHARED/at-$PAWL_PART"
  for part in security speed style; do while [ ! -e "$PAWL_SHARED/at-$part" ]; do sleep 0.05; done; done
  if [ "$PAWL_PART" = speed ]; then
    echo changed > README.md; touch "$PAWL_SHARED/changed"
    while [ ! -e "$PAWL_SHARED/again" ]; do sleep 0.05; done
    sleep 1
  fi
  while [ ! -e "$PAWL_SHARED/changed" ]; do sleep 0.05; done
else
  cat README.md > "$PAWL_SHARED/seen-$PAWL_PART"
fi
echo "VERDICT: ok"
echo STATUS: done
`;
    const world = await makeWorld({ agent, steps: review() });
    const run = await world.begin();
    const driving = world.drive(run);
    const repeated = async () => (await world.attempts(run)).filter(({ number }) => number === 2);
    await until(async () => (await repeated()).length === 2);
    writeFileSync(join(world.home.dir, "again"), "");
    expect(await driving).toBe("done");
    for (const part of ["security", "speed", "style"]) expect(world.read(`seen-${part}`)).not.toContain("changed");
    expect((await repeated()).length).toBe(3);
    expect((await world.attempts(run)).filter(({ number }) => number > 2)).toEqual([]);
  });

  test("[PT4] a driver that is killed loses the parts that ran; those that had a verdict keep it", async () => {
    const agent = `
if [ "$PAWL_PART" = style ] || [ "$PAWL_ATTEMPT" != 1 ] || [ "$PAWL_STEP" = sum ]; then
  echo "VERDICT: ok"; echo STATUS: done; exit 0
fi
echo $$ > "$PAWL_SHARED/$PAWL_PART"
sleep 600
`;
    const world = await makeWorld({ agent, steps: review() });
    const run = await world.begin();
    const driver = world.startDriver(run);
    await world.appears("security", "\n");
    await world.appears("speed", "\n");
    await until(async () => (await partsOf(world, run))["style"] === "passed");
    await driver.kill();
    expect(await recover(world.parts)).toHaveLength(2);
    expect(await partsOf(world, run)).toEqual({ security: "ready", speed: "ready", style: "passed" });
    expect(await world.drive(run)).toBe("done");
    const counts = Map.groupBy(await world.attempts(run), ({ part }) => part ?? "sum");
    expect(Object.fromEntries([...counts].map(([name, attempts]) => [name, attempts.length]))).toEqual({
      security: 2,
      speed: 2,
      style: 1,
      sum: 1,
    });
  });

  test("[PT2 DR3] 20 parts on 4 permits: never more than 4 at once, and each gets its turn", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const agent = `
echo begin >> "$PAWL_SHARED/audit"
sleep 0.05
echo end >> "$PAWL_SHARED/audit"
echo STATUS: done
`;
    const steps = `
  - { id: review, agent: worker, access: read, parts: [${names.join(", ")}], input: "{{part}}" }
`;
    const world = await makeWorld({ agent, steps, config: "concurrency: { agents: 4 }" });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    let now = 0;
    const counts = world
      .read("audit")
      .trimEnd()
      .split("\n")
      .map((line) => (now += line === "begin" ? 1 : -1));
    expect(counts).toHaveLength(40);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    expect(new Set((await world.attempts(run)).map(({ part }) => part)).size).toBe(20);
  });
});
