// The layer check: runs the rules of layers.config.ts over src/ and reports violations. A check that sees no files finds none, so it
// first proves that it sees the files and that every rule can fail.
import { globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { layers, rooms, rules, upwardEntries } from "../layers.config.ts";
import { importGraph } from "./import-graph.ts";
import { namedAgents } from "./named-agents.ts";

const problems = [...(await missedInPlantedTree()), ...(await problemsIn(process.cwd()))];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

async function problemsIn(root: string): Promise<string[]> {
  const { modules, summary } = await importGraph(root);
  const dependenciesOf = new Map(modules.map((module) => [module.source, module.dependencies.length]));
  const unseen = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !dependenciesOf.has(file));
  const blind = dependenciesOf.get("src/engine/decide.ts") ? [] : ["src/engine/decide.ts"];

  const found = [
    ...unseen.map((file) => `unseen: ${file} is in src/ but was not checked`),
    ...blind.map((file) => `unseen: ${file} must be there and show its imports`),
    ...namedAgents(root),
    ...upwardEntries(layers),
    ...upwardEntries(rooms),
    ...summary.violations.map(({ rule, from, to, cycle }) => {
      const path = cycle ? cycle.map((step) => step.name).join(" -> ") : to;
      return `${rule.name}: ${from} -> ${path} (${commentOf(rule.name)})`;
    }),
  ];
  console.log(
    `layers: ${dependenciesOf.size} modules, ${summary.totalDependenciesCruised} imports, ${found.length} problems`,
  );
  return found;
}

/** Checks a small tree of forbidden imports, and names each rule that did not notice. */
async function missedInPlantedTree(): Promise<string[]> {
  const planted: Record<string, string> = {
    "src/engine/planted.ts": 'import "node:fs"; import type { Row } from "../store/row.ts"; export type Plan = Row;',
    "src/store/row.ts": 'import { open } from "./sqlite/open.ts"; export type Row = ReturnType<typeof open>;',
    "src/store/sqlite/open.ts": 'import { type Row } from "../row.ts"; export const open = (): Row[] => [];',
    "src/runtime/start.ts": 'import { open } from "../store/sqlite/open.ts"; export const start = () => open();',
    "src/mcp/answers.ts": 'import { answer } from "../application/answer.ts"; export const answers = answer;',
    "src/application/answer.ts": "export const answer = 1;",
    "src/runtime/trees/tree.ts": 'import { drive } from "../loop/drive.ts"; export const tree = drive;',
    "src/runtime/loop/drive.ts": "export const drive = 1;",
    "src/runtime/choice.ts": 'export const choice = "claude";',
    "src/dispatch/query.ts": 'import { sql } from "kysely"; export const now = sql;',
    "src/protocols/files/peek.ts": 'import { ralph } from "../ralph/ralph.ts"; export const peek = ralph;',
    "src/protocols/ralph/ralph.ts": "export const ralph = 1;",
    "node_modules/kysely/package.json": '{ "name": "kysely", "main": "index.js" }',
    "node_modules/kysely/index.js": "exports.sql = 1;",
  };
  const expected = [
    "engine-is-pure",
    "engine-points-inward",
    "kysely-only-in-store",
    "mcp-points-inward",
    "no-cycles",
    "no-named-agents",
    "ralph-only-from-its-profile",
    "runtime-trees-points-inward",
    "store-by-its-interface",
    "store-sqlite-only-from-app",
    "upward-entries",
  ];

  const root = mkdtempSync(join(realpathSync(tmpdir()), "pawl-layers-"));
  try {
    for (const [file, text] of Object.entries(planted)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    const { summary } = await importGraph(root);
    const broken = new Set(summary.violations.map(({ rule }) => rule.name));
    if (namedAgents(root).length === 1) broken.add("no-named-agents");
    if (upwardEntries({ low: ["high"], high: ["low"] }).length === 1) broken.add("upward-entries");
    return expected.filter((name) => !broken.has(name)).map((name) => `blind: ${name} did not see a planted violation`);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function commentOf(ruleName: string): string {
  return rules.find(({ name }) => name === ruleName)?.comment ?? "";
}
