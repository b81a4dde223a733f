// The first configuration. Owns: the text of a `.pawl/config.yml` with the settings that are known and examples of the others.
// An example is a comment that is valid when its `# ` is removed.

import { stringify } from "yaml";
import { agents } from "../../app.ts";
import type { Project } from "../../project/project.ts";

const head = `# Pawl's settings for all who work on this repository, written by \`pawl init\` and yours to change.
# Commit this file. Secrets do not belong here: agents find their keys in your environment or your login.
# These settings win over your own config.yml in Pawl's home, but they never loosen limits or rights, and never set how agents
# are called. Pawl's docs/guides/configure.md describes every setting; \`pawl doctor\` checks this file.
`;

export function configText(project: Project, executor: string | null): string {
  const agent = executor ?? agents.kinds[0] ?? "NAME";
  return [
    head,
    "# Performs the steps for which the workflow names no executor. `--executor NAME` wins; the default is the first installed agent.",
    executor === null ? `# default_executor: ${agent}` : `default_executor: ${agent}`,
    "",
    "# Agents need no settings. These are for all attempts of an agent; a second name is a second way to call it.",
    ...section("executors", agentExamples(agent)),
    "",
    "# How this project is tested and linted: agents are told, and checks of workflows run these commands.",
    ...foundBeside(project),
    ...section("project", projectSettings(project)),
    "",
    "# What the git tree of a story needs before an agent works in it: a fresh one has only committed files.",
    ...secretsWarning(project),
    ...section("workspace", workspaceSettings(project)),
    "",
    "# Attempts of agents at once, over all runs.",
    ...section("concurrency", ["# agents: 4"]),
    "",
    "# Caps for every run; they tighten those of a workflow.",
    ...section("budget", ["# usd: 20", "# wall: 8h", "# attempts: 500"]),
    "",
  ].join("\n");
}

/** A section without a setting is a comment as a whole: a key with nothing below it would be invalid. */
function section(name: string, settings: readonly string[]): readonly string[] {
  if (settings.some((line) => !line.startsWith("# "))) return [`${name}:`, ...settings.map((line) => `  ${line}`)];
  return [`# ${name}:`, ...settings.map((line) => `#   ${line.slice(2)}`)];
}

function agentExamples(agent: string): readonly string[] {
  const { can, exampleModel } = agents.find(agent) ?? {};
  const settings = [
    `model: ${exampleModel ?? "NAME"}`,
    ...(can?.effort ? ["effort: high"] : []),
    "max_turns: 80",
    ...(can?.money ? ["max_usd: 5"] : []),
  ];
  const reviewer = `# reviewer: { kind: ${agent}, access: read }`;
  return [`# ${agent}: { ${settings.join(", ")} }`, ...(can?.readOnly ? [reviewer] : [])];
}

function projectSettings({ commands: { test, lint, types } }: Project): readonly string[] {
  const checks = [lint, types].filter((command) => command !== null).join(" && ");
  return [
    test === null ? "# test: make test" : `test: ${testSetting(test)}`,
    checks === "" ? "# lint: make lint" : `lint: ${written(checks)}`,
    "# layers: api -> core -> common",
    "# hints: what agents must know about the tools",
  ];
}

/** Commands that print results which Pawl can read, by the usual ones that print words. */
const readable: Readonly<Record<string, string>> = { "go test ./...": "{ run: go test -json ./..., reads: go-json }" };

/** A command that the project defines itself may print anything. */
function testSetting(test: string): string {
  return readable[test] ?? written(test);
}

function workspaceSettings({ commands: { setup }, setupWhen, localFiles }: Project): readonly string[] {
  return [
    setup.length === 0 ? "# setup: [make deps]" : `setup: ${written(setup)}`,
    setupWhen.length === 0 ? "# setup_when: [deps.lock]" : `setup_when: ${written(setupWhen)}`,
    `# copy: ${written(localFiles.length === 0 ? [".env"] : localFiles)}`,
  ];
}

function foundBeside({ alternatives, nested }: Project): readonly string[] {
  const more = nested.count > nested.files.length ? `, and ${nested.count - nested.files.length} more` : "";
  return [
    ...(alternatives.length === 0
      ? []
      : [`# Also found: ${alternatives.map((command) => `\`${command}\``).join(", ")}.`]),
    ...(nested.count === 0 ? [] : [`# Not looked into: ${nested.files.join(", ")}${more}.`]),
  ];
}

function secretsWarning({ localFiles }: Project): readonly string[] {
  if (localFiles.length === 0) return [];
  return [
    `# Git does not have ${localFiles.join(", ")}. If you copy them, agents can read them: think of secrets first.`,
  ];
}

function written(value: string | readonly string[]): string {
  return stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trimEnd();
}
