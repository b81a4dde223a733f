// The states page. Owns: docs/spec/states.md, written from the engine's transition tables. `--check` fails when it is stale.

import { readFileSync, writeFileSync } from "node:fs";
import { attemptTable, gateTable, partTable, runTable, stepTable, storyTable } from "../../src/engine/tables.ts";

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Section {
  readonly title: string;
  readonly about: string;
  readonly first: string;
  readonly table: Table;
}

const sections: readonly Section[] = [
  {
    title: "Step",
    about: "A step of a chain. `held` waits for a person. `reset` starts a new visit.",
    first: "waiting",
    table: stepTable,
  },
  {
    title: "Part",
    about: "A part of a step. What it ended with stays until a route goes back over its step.",
    first: "ready",
    table: partTable,
  },
  {
    title: "Attempt",
    about: "One execution of a step. One that is stopping has lost its token and still has its step.",
    first: "dispatched",
    table: attemptTable,
  },
  {
    title: "Story",
    about: "A unit of work with a chain of its own. `blocked`: what it depends on has failed.",
    first: "waiting",
    table: storyTable,
  },
  {
    title: "Gate",
    about: "A question to a person. An answer is void when a route goes back over its step.",
    first: "open",
    table: gateTable,
  },
  {
    title: "Run",
    about: "`open` is shown as `running` or as `held`, whichever its steps say.",
    first: "open",
    table: runTable,
  },
];

const path = new URL("states.md", import.meta.url);
const page = [
  "# States",
  "",
  "Generated from `src/engine/tables.ts` by `npm run diagrams`; do not edit. A change that no table has cannot happen.",
  "",
  ...sections.flatMap(written),
].join("\n");

if (process.argv.includes("--check")) {
  if (read() !== page) {
    console.error("docs/spec/states.md is stale: run `npm run diagrams`");
    process.exitCode = 1;
  }
} else {
  writeFileSync(path, page);
}

function written({ title, about, first, table }: Section): string[] {
  return [`## ${title}`, "", about, "", ...diagram(first, table), "", ...rows(table), ""];
}

function diagram(first: string, table: Table): string[] {
  const moves = Object.entries(table).flatMap(([from, row]) =>
    Object.entries(row).map(([change, to]) => `  ${from} --> ${to}: ${change}`),
  );
  return ["```mermaid", "stateDiagram-v2", `  [*] --> ${first}`, ...moves, ...ends(table), "```"];
}

/** States that nothing leads out of; one that nothing leads into either is left to the table. */
function ends(table: Table): string[] {
  const reached = new Set(Object.values(table).flatMap((row) => Object.values(row)));
  return Object.entries(table)
    .filter(([state, row]) => Object.keys(row).length === 0 && reached.has(state))
    .map(([state]) => `  ${state} --> [*]`);
}

function rows(table: Table): string[] {
  const lines = Object.entries(table).map(([state, row]) => {
    const changes = Object.entries(row).map(([change, to]) => `${change} → \`${to}\``);
    return `| \`${state}\` | ${changes.join(", ") || "nothing"} |`;
  });
  return ["| state | what can happen |", "| --- | --- |", ...lines];
}

function read(): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
