// A busy afternoon: a PRD of 12 stories with four agents at work, three runs that ask something, and one each that is paused, done,
// failed, and left by a driver that was killed. The agents at work wait until the world is closed, so that nothing moves meanwhile.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Act } from "../../../src/executors/script.ts";
import { expectCode, newSite, type RunningPawl, type Site, startPawl, writeAt } from "../../support/pawl.ts";
import { prdText, shortWorkflow } from "../../support/ralph.ts";
import { type Acts, writeScript } from "../../support/scripts.ts";
import { until } from "../../support/until.ts";
import { type ServedWorld, type ServeOptions, serveHome } from "./served.ts";

export interface BusyWorld extends ServedWorld {
  readonly site: Site;
  /** The numbers of its runs. */
  readonly runs: Readonly<Record<BusyRun, number>>;
}

export type BusyRun = "done" | "failed" | "renamed" | "dropped" | "raised" | "stories" | "paused" | "left";

const titles = [
  "Keep a cart between visits",
  "Show the price with tax",
  "Send a receipt by mail",
  "Let people change the quantity",
  "Reserve stock while people pay",
  "Pay by card",
  "Pay by invoice",
  "Refund a part of an order",
  "Take a voucher",
  "Ship to several addresses",
  "Export orders as CSV",
  "Warn of orders that look stolen",
];
/** By the number of the story. */
const dependencies: Readonly<Record<number, readonly number[]>> = { 8: [5], 9: [4], 10: [6], 11: [6, 7] };
const atWork = ["US-005", "US-006", "US-007", "US-012"];
const broken = "US-004";

export async function busyWorld(options: ServeOptions = {}): Promise<BusyWorld> {
  const site = newSite();
  // As many as there are to see.
  writeFileSync(join(site.home, "config.yml"), "concurrency: { agents: 16 }\n");
  const told: readonly ToldRun[] = [
    { name: "done", task: "A dark mode", act: working("dark.css") },
    { name: "failed", task: "Move to the new payment API", act: crashing },
    {
      name: "renamed",
      task: "Rename the cart to basket",
      act: working("basket.ts"),
      gate: "Is the new name used everywhere?",
    },
    {
      name: "dropped",
      task: "Drop the old checkout",
      act: working("checkout.ts"),
      gate: "This deletes 14 files. Shall they go?",
    },
    { name: "raised", task: "Raise the limit of orders per page", act: working("orders.ts"), gate: "Ship it?" },
    { name: "paused", task: "Sort the orders by date", act: waiting(site, "paused") },
    { name: "left", task: "Index the search", act: waiting(site, "left") },
  ];
  const numbers: Partial<Record<BusyRun, number>> = {};
  // One after the other: their numbers are those of the list.
  for (const one of told) numbers[one.name] = await record(site, one);
  numbers.stories = await recordStories(site);
  const drivers = Object.fromEntries(
    Object.entries(numbers).map(([name, number]) => [
      name,
      startPawl(["resume", `${number}`], { home: site.home, cwd: site.repo }),
    ]),
  );
  for (const name of ["done", "failed", "renamed", "dropped", "raised"]) await drivers[name]?.ended;
  await until(() => ["paused", "left", ...atWork].every((name) => existsSync(site.path(`at-${name}`))));
  await until(async () => {
    const { stories } = await site.status(`${numbers.stories}`);
    return stories.filter(({ status }) => status === "waiting" || status === "running").length === atWork.length + 3;
  });

  expectCode(await site.pawl("pause", `${numbers.paused}`), 0);
  writeFileSync(site.path("go-paused"), "");
  await drivers["paused"]?.ended;
  await killed(drivers["left"]);
  const ends = async () => {
    for (const name of ["left", ...atWork]) writeFileSync(site.path(`go-${name}`), "");
    await killed(drivers["stories"]);
  };
  return { ...(await serveHome(site.home, options, ends)), site, runs: numbers as BusyWorld["runs"] };
}

interface ToldRun {
  readonly name: BusyRun;
  readonly task: string;
  readonly act: Act;
  readonly gate?: string;
}

async function record(site: Site, { name, task, act, gate }: ToldRun): Promise<number> {
  const asking =
    gate === undefined
      ? ""
      : `\n  - { id: look, gate: "${gate}", options: { approve: next, reject: { back_to: work } } }`;
  const steps = `
  - { id: plan, agent: worker, input: "{{task}}" }
  - { id: work, agent: worker, input: "{{task}} {{feedback}}", on_error: fail }${asking}
  - { id: tell, agent: worker, input: "{{task}}" }`;
  const workflow = writeAt(
    site,
    `${name}.yml`,
    `pawl: 1\nid: small-change\nname: A small change\nagents: { worker: {} }\nsteps:${steps}\n`,
  );
  return await recorded(
    site,
    ["run", workflow, task],
    { plan: [spoken("I read the project.")], work: [act], tell: [spoken("Told.")] },
    name,
  );
}

async function recordStories(site: Site): Promise<number> {
  const id = (number: number) => `US-${String(number).padStart(3, "0")}`;
  const stories = titles.map((title, index) => ({
    id: id(index + 1),
    title,
    depends_on: (dependencies[index + 1] ?? []).map(id),
  }));
  const prd = writeAt(site, "prd.json", prdText(stories));
  const another = { type: "coding", description: "Also for people who are not signed in" };
  const edits = [
    { operation: "add_after", target_step_id: "step-002", new_steps: [another], reason: "The cart has two owners" },
  ];
  const coding: readonly Act[] = [
    {
      story: broken,
      complain: "error: the quantity may be negative, and no criterion says so\n",
      exit: 1,
      usage: usage(0.4),
    },
    ...atWork.map((story) => ({ story, ...waiting(site, story) })),
    { ...working("{{story}}-{{step}}.ts"), say: "SUMMARY\nDone with {{story}}.\n\nSTATUS: done" },
  ];
  const acts = {
    planning: [
      { story: "US-001", edits, say: "SUMMARY\nTwo parts.\n\nSTATUS: done", usage: usage(0.12) },
      { say: "SUMMARY\nOne part.\n\nSTATUS: done", usage: usage(0.09) },
    ],
    coding: [...coding],
    final_review: [{ say: "SUMMARY\nLooks right.\n\nSTATUS: done", usage: usage(0.15) }],
  };
  const workflow = writeAt(site, "stories.yml", shortWorkflow);
  return await recorded(site, ["prd", "run", prd, "--agents", "4", "--workflow", workflow], acts, "stories");
}

async function recorded(site: Site, words: readonly string[], acts: Acts, name: string): Promise<number> {
  const script = writeScript(site, acts, `${name}.script.yml`);
  const { run } = await site.json<{ run: { number: number } }>([...words, "--script", script, "--detach"]);
  return run.number;
}

function usage(usd: number): NonNullable<Act["usage"]> {
  return { usd, input: Math.round(usd * 60_000), output: Math.round(usd * 8_000) };
}

function spoken(words: string): Act {
  return { say: `${words}\nSTATUS: done`, usage: usage(0.05) };
}

function working(file: string): Act {
  return {
    write: { [file]: "// A line of {{story}}\n// and another one\n" },
    commit: "Write a file for {{story}}",
    say: "I wrote a file.\nSTATUS: done",
    usage: usage(0.35),
  };
}

const crashing: Act = {
  complain: "error: the payment API answered 403 to its own example\n",
  exit: 1,
  usage: usage(0.28),
};

/** Works until the world lets it go. */
function waiting(site: Site, name: string): Act {
  const until = `n=0; until [ -e '${site.path(`go-${name}`)}' ] || [ $n -gt 6000 ]; do sleep 0.1; n=$((n+1)); done`;
  return {
    run: [`echo 'Reading the orders.'; touch '${site.path(`at-${name}`)}'; ${until}`],
    say: "STATUS: done",
    usage: usage(0.3),
  };
}

async function killed(driver: RunningPawl | undefined): Promise<void> {
  driver?.child.kill("SIGKILL");
  await driver?.ended;
}
