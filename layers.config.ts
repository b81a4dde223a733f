// Which folder of src/ may import which. Owns: the layers and the rules that follow from them.
// `npm run layers` applies them (scripts/layers.ts), and proves first that it can see and fail.

import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import type { ICruiseOptions, IForbiddenRuleType } from "dependency-cruiser";

type Entry = [layer: string, mayImport: readonly string[]];

const inner = ["domain", "engine", "workflows", "prompts", "system"];

/**
 * What src/ has, and what each may import besides itself. The order is that of the layers, from the bottom: an entry names only entries
 * above it in this table, so folders cannot form a circle. `npm run layers` checks that, too.
 */
export const layers: Record<string, readonly string[]> = {
  domain: [],
  contracts: ["domain"],
  prompts: ["domain"],
  results: ["domain"],
  transcript: ["domain"],
  engine: ["domain", "prompts"],
  workflows: ["domain"],
  page: ["domain", "prompts", "engine", "transcript", "contracts"],
  system: ["domain"],
  store: ["domain", "engine", "system"],
  dispatch: ["domain", "engine", "system", "store"],
  executors: ["domain", "system"],
  workspaces: ["domain", "system"],
  project: ["domain", "system", "workspaces"],
  protocols: ["domain", "engine", "prompts", "results", "workflows", "system"],
  notify: ["domain", "system"],
  telemetry: ["domain", "system"],
  runtime: [
    ...inner,
    "results",
    "contracts",
    "store",
    "dispatch",
    "executors",
    "workspaces",
    "protocols",
    "notify",
    "telemetry",
  ],
  mcp: ["domain", "system", "protocols", "runtime"],
  "app.ts": [
    "domain",
    "system",
    "store",
    "dispatch",
    "executors",
    "protocols",
    "notify",
    "telemetry",
    "runtime",
    "mcp",
  ],
  application: [
    ...inner,
    "contracts",
    "transcript",
    "store",
    "executors",
    "workspaces",
    "project",
    "protocols",
    "runtime",
    "app.ts",
  ],
  library: [...inner, "contracts", "executors", "runtime", "application"],
  http: ["domain", "system", "contracts", "application"],
  service: ["domain", "system", "contracts", "store", "runtime", "application", "http"],
  cli: ["domain", "workflows", "prompts", "system", "contracts", "transcript", "application", "mcp", "http", "service"],
  "index.ts": ["domain", "contracts", "runtime", "library"],
};

/** The rooms of src/runtime, in the same order and by the same rule. What lies beside them (`parts.ts`, `worker.ts`) is for all. */
export const rooms: Record<string, readonly string[]> = {
  transition: [],
  config: [],
  trees: [],
  attempt: ["transition", "trees"],
  machines: ["transition", "config", "trees", "attempt"],
  effects: ["transition", "trees", "machines"],
  loop: ["transition", "trees", "attempt", "machines", "effects"],
  runs: ["transition", "config", "trees", "attempt"],
  views: ["trees", "attempt", "machines"],
};

/** Entries of a table of layers that name one below them, or one that is not there. */
export function upwardEntries(table: typeof layers): string[] {
  const names = Object.keys(table);
  return Object.entries(table).flatMap(([layer, mayImport]) =>
    mayImport
      .filter((other) => !names.slice(0, names.indexOf(layer)).includes(other))
      .map((other) => `layers.config.ts lets ${layer} import ${other}, which is not above it in the table`),
  );
}

/** Folders that do no I/O, and the npm packages they may import all the same. */
const pure: Record<string, readonly string[]> = {
  domain: [],
  contracts: ["zod"],
  engine: [],
  workflows: ["croner", "yaml", "zod"],
  prompts: [],
  results: [],
  transcript: [],
};

/** The npm packages that src/ may import; `npm run build` puts their code into dist/. */
const packages = [
  "@agentclientprotocol/sdk",
  "@hono/node-server",
  // Not in dist/: see scripts/bundle.ts.
  "@opentelemetry/[^/]+",
  "@preact/signals",
  "commander",
  "croner",
  "hono",
  "kysely",
  // Not in dist/: see scripts/bundle.ts.
  "pg",
  "pg-boss",
  "preact",
  "yaml",
  "zod",
];

/** Implementations: outside their own capability only the composition root, src/app.ts, may import them. */
const implementations = [
  "store/postgres",
  "store/sqlite",
  "dispatch/embedded",
  "dispatch/pg-boss",
  "executors/command",
  "executors/scripted",
  "executors/acp",
  "executors/agents.ts",
  "telemetry/otel",
];

const foldersIn = (folder: string) =>
  readdirSync(`${import.meta.dirname}/src/${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Folders with a descriptor: only src/executors/agents.ts imports one, and no other file names its agent. */
export const agents = foldersIn("executors").filter((name) =>
  existsSync(`${import.meta.dirname}/src/executors/${name}/descriptor.ts`),
);

/** Use cases that may import a protocol. All others know only the port. */
const protocolUseCases: Record<string, readonly string[]> = {
  agentic: ["application/agentic"],
  lifecycle: ["application/lifecycle"],
  ralph: ["application/ralph"],
};

/** Folders of src/protocols: only src/app.ts imports one, and its use cases. `files` has what they share. */
const protocols: readonly Entry[] = foldersIn("protocols")
  .filter((name) => name !== "files")
  .map((name) => [name, protocolUseCases[name] ?? []]);

const tests = "\\.(test|contract)\\.tsx?$";
const inPackage = (name: string) => `(^|/)node_modules/${name}/`;
const inSrc = (name: string) => (name.endsWith(".ts") ? `^src/${name}$` : `^src/${name}/`);

const inward = ([layer, mayImport]: Entry): IForbiddenRuleType => ({
  name: `${layer}-points-inward`,
  comment: `${layer} may import ${mayImport.join(", ") || "no other folder"}`,
  severity: "error",
  from: { path: inSrc(layer) },
  to: { path: "^src/", pathNot: [layer, ...mayImport].map(inSrc) },
});

const inRoom = (room: string) => inSrc(`runtime/${room}`);

const roomInward = ([room, mayImport]: Entry): IForbiddenRuleType => ({
  name: `runtime-${room}-points-inward`,
  comment: `of the rooms of src/runtime, ${room} may import ${mayImport.join(", ") || "no other"}`,
  severity: "error",
  from: { path: inRoom(room), pathNot: tests },
  to: { path: "^src/runtime/[^/]+/", pathNot: [room, ...mayImport].map(inRoom) },
});

const noOutsideWorld = ([layer, allowed]: Entry): IForbiddenRuleType => ({
  name: `${layer}-is-pure`,
  comment: `${layer} imports no node: module and no npm package except: ${allowed.join(", ") || "none"}`,
  severity: "error",
  from: { path: inSrc(layer), pathNot: tests },
  to: { pathNot: ["^src/", ...allowed.map(inPackage)] },
});

const onlyFromRoot = (implementation: string): IForbiddenRuleType => ({
  name: `${implementation.replace("/", "-")}-only-from-app`,
  comment: `only src/app.ts imports src/${implementation} from outside its capability`,
  severity: "error",
  from: { path: "^src/", pathNot: [inSrc(dirname(implementation)), inSrc("app.ts"), tests] },
  to: { path: inSrc(implementation) },
});

const onlyFromProfile = ([protocol, commands]: Entry): IForbiddenRuleType => ({
  name: `${protocol}-only-from-its-profile`,
  comment: `src/protocols/${protocol} is imported by src/app.ts${commands.length > 0 ? ` and ${commands.join(", ")}` : ""}`,
  severity: "error",
  from: { path: "^src/", pathNot: [...[`protocols/${protocol}`, "app.ts", ...commands].map(inSrc), tests] },
  to: { path: inSrc(`protocols/${protocol}`) },
});

const onlyFromAgents = (agent: string): IForbiddenRuleType => ({
  name: `${agent}-only-from-agents`,
  comment: `only src/executors/agents.ts imports src/executors/${agent}`,
  severity: "error",
  from: { path: "^src/", pathNot: [inSrc(`executors/${agent}`), inSrc("executors/agents.ts"), tests] },
  to: { path: inSrc(`executors/${agent}`) },
});

const others: IForbiddenRuleType[] = [
  {
    name: "product-does-not-import-tests",
    comment: "what is published imports only what is published",
    severity: "error",
    from: { path: "^src/", pathNot: tests },
    to: { path: ["^(test|bench|docs|scripts)/", tests] },
  },
  {
    name: "tests-import-only-test-support",
    comment: "of what lies beside src/, its tests import test/support alone",
    severity: "error",
    from: { path: `^src/.*${tests}` },
    to: { path: "^(test|bench|docs|scripts)/", pathNot: "^test/support/" },
  },
  {
    name: "every-file-has-a-layer",
    comment: "a file of src/ is named in the table of layers, or its folder is",
    severity: "error",
    from: { path: "^src/", pathNot: Object.keys(layers).map(inSrc) },
    to: {},
  },
  {
    name: "every-room-has-a-place",
    comment: "a folder of src/runtime is in the table of rooms",
    severity: "error",
    from: { path: "^src/runtime/[^/]+/", pathNot: Object.keys(rooms).map(inRoom) },
    to: {},
  },
  {
    name: "product-imports-chosen-packages",
    comment: `what src/ imports becomes part of the published package; of npm: ${packages.join(", ")}`,
    severity: "error",
    from: { path: "^src/", pathNot: tests },
    to: { path: "(^|/)node_modules/", pathNot: packages.map(inPackage) },
  },
  {
    name: "page-imports-packages-for-browsers",
    comment: "the page runs in a browser: it imports no node: module, and of npm preact and its signals",
    severity: "error",
    from: { path: inSrc("page"), pathNot: tests },
    to: { pathNot: ["^src/", ...["preact", "@preact/signals"].map(inPackage)] },
  },
  {
    name: "page-reads-types-of-contracts",
    comment: "a contract at run time would bring zod into the page",
    severity: "error",
    from: { path: inSrc("page"), pathNot: tests },
    to: { path: inSrc("contracts"), dependencyTypesNot: ["type-only"] },
  },
  {
    name: "kysely-only-in-store",
    comment: "queries are methods of the store",
    severity: "error",
    from: { path: "^src/", pathNot: inSrc("store") },
    to: { path: inPackage("kysely") },
  },
  {
    name: "store-by-its-interface",
    comment: "of src/store, other folders import store.ts alone; src/app.ts opens it",
    severity: "error",
    from: { path: "^src/", pathNot: [inSrc("store"), inSrc("app.ts"), tests] },
    to: { path: inSrc("store"), pathNot: inSrc("store/store.ts") },
  },
  {
    name: "no-cycles",
    comment: "two files that need each other are one thing, or there is a third between them",
    severity: "error",
    from: {},
    to: { circular: true },
  },
];

export const rules = [
  ...Object.entries(layers).map(inward),
  ...Object.entries(rooms).map(roomInward),
  ...Object.entries(pure).map(noOutsideWorld),
  ...implementations.map(onlyFromRoot),
  ...agents.map(onlyFromAgents),
  ...protocols.map(onlyFromProfile),
  ...others,
];

export const options: ICruiseOptions = {
  // Without swc, .ts files are skipped in silence: TypeScript 7 has no parser that dependency-cruiser can use.
  parser: "swc",
  // Type imports count: a layer that knows the types of another depends on it.
  tsPreCompilationDeps: true,
  doNotFollow: { path: "node_modules" },
  validate: true,
  ruleSet: { forbidden: rules },
};
