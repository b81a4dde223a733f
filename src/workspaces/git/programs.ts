// Programs in git's configuration. Owns: overriding every setting of a repository that would make git run a program. An agent can write
// that configuration, and Pawl's git runs outside of its sandbox. Settings of the user (`--global`) and the system stay as they are.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { layoutOf } from "../../system/git-directory.ts";

/** Pairs of a key and a value that count more than the repository's. */
export type Overrides = readonly (readonly [string, string])[];

/** Settings that run a program, by the whole key in lower case but for a name in the middle, and what takes their place. */
const programs: readonly { readonly key: RegExp; readonly instead: string }[] = [
  { key: /^core\.sshcommand$/, instead: "ssh" },
  { key: /^core\.gitproxy$/, instead: "none" },
  { key: /^core\.(?:askpass|alternaterefscommand)$/, instead: "" },
  { key: /^remote\.(?:.*)\.uploadpack$/s, instead: "git-upload-pack" },
  { key: /^remote\.(?:.*)\.receivepack$/s, instead: "git-receive-pack" },
  // Git then finds no helper and the fetch fails, which is a note.
  { key: /^remote\.(?:.*)\.vcs$/s, instead: "none" },
  { key: /^credential\.(?:.*\.)?helper$/s, instead: "" },
  { key: /^filter\.(?:.*)\.(?:clean|smudge|process)$/s, instead: "" },
  { key: /^filter\.(?:.*)\.required$/s, instead: "false" },
  { key: /^diff\.(?:.*\.)?(?:command|textconv)$/s, instead: "false" },
  { key: /^diff\.external$/, instead: "false" },
  { key: /^merge\.(?:.*)\.driver$/s, instead: "git merge-file --quiet --marker-size=%L %A %O %B" },
  { key: /^gpg\.(?:.*\.)?program$/s, instead: "gpg" },
  { key: /^gpg\.ssh\.defaultkeycommand$/, instead: "" },
  { key: /^hook\.(?:.*)\.command$/s, instead: "true" },
  { key: /^protocol\.(?:.*\.)?allow$/s, instead: "user" },
  { key: /^trailer\.(?:.*)\.(?:command|cmd)$/s, instead: "true" },
];

/** A configuration without any of these words has none of those settings. */
const suspicious =
  /include|sshcommand|gitproxy|askpass|alternaterefs|uploadpack|receivepack|vcs|helper|clean|smudge|process|required|command|textconv|external|driver|program|allow|cmd/i;

interface Answer {
  readonly text: string;
  readonly overrides: Overrides;
}

const answers = new Map<string, Answer>();

/** `list` prints the whole configuration as the repository sees it (`--list --show-scope --null`); most have no need of it. */
export async function overridesFor(cwd: string, list: () => Promise<string>): Promise<Overrides> {
  const text = repositoryText(cwd);
  if (!suspicious.test(text)) return [];
  const known = answers.get(cwd);
  // An included file changes without the file that includes it.
  if (known?.text === text && !/include/i.test(text)) return known.overrides;
  const overrides = overridesIn(await list());
  answers.set(cwd, { text, overrides });
  return overrides;
}

/** The text of the files that belong to the repository, not to the user. */
function repositoryText(cwd: string): string {
  const layout = layoutAbove(cwd);
  if (layout === null) return "";
  const { gitDir, commonDir } = layout;
  const files = [join(commonDir, "config"), join(commonDir, "config.worktree"), join(gitDir, "config.worktree")];
  return files.map((file) => readIfReadable(file, { links: "follow" }) ?? "").join("\n");
}

function layoutAbove(dir: string): ReturnType<typeof layoutOf> {
  const layout = layoutOf(dir);
  if (layout !== null) return layout;
  if (existsSync(join(dir, "HEAD")) && existsSync(join(dir, "objects"))) return { gitDir: dir, commonDir: dir };
  const parent = dirname(dir);
  return parent === dir ? null : layoutAbove(parent);
}

/** Exported for the test of all keys. */
export function overridesIn(listed: string): Overrides {
  const entries = entriesIn(listed);
  const theirs = entries.filter(({ scope }) => scope === "local" || scope === "worktree");
  const users = entries.filter(({ scope }) => scope !== "local" && scope !== "worktree");
  const overrides = new Map<string, readonly (readonly [string, string])[]>();
  for (const { key } of theirs) {
    const found = programs.find((program) => program.key.test(key));
    if (found === undefined) continue;
    const kept = users.filter((entry) => entry.key === key).map(({ value }) => [key, value] as const);
    // An empty helper ends the list of those before it. Of any other setting the last value counts.
    const isList = key.startsWith("credential.");
    const instead = key === "protocol.ext.allow" ? "never" : found.instead;
    overrides.set(key, isList ? [[key, ""], ...kept] : [kept.at(-1) ?? [key, instead]]);
  }
  const all = [...overrides.values()].flat();
  // Any command may then fetch a missing object, with that program.
  const isPartial = entries.some(({ key }) => /^extensions\.partialclone$|\.promisor$|\.partialclonefilter$/.test(key));
  const upload = all.find(([key]) => isUploadPack(key))?.[0];
  if (isPartial && upload !== undefined) throw partial(upload);
  const hasProtocol = all.some(([key]) => key === "protocol.allow");
  const ext = users.findLast(({ key }) => key === "protocol.ext.allow")?.value ?? "never";
  return hasProtocol ? [...all, ["protocol.ext.allow", ext]] : all;
}

export function isUploadPack(key: string): boolean {
  return key.startsWith("remote.") && key.endsWith(".uploadpack");
}

function partial(key: string): AppError {
  const message = `the repository is a partial clone, and its configuration names a program for fetching (${key})`;
  return new AppError("REPOSITORY_UNUSABLE", message, {
    hint: `Pawl runs no program that a repository names: \`git config --unset-all ${key}\`, or set it with --global`,
  });
}

interface Entry {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

function entriesIn(listed: string): readonly Entry[] {
  const words = listed.split("\0");
  const entries: Entry[] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [scope = "", setting = ""] = [words[index], words[index + 1]];
    const end = setting.indexOf("\n");
    entries.push({
      scope,
      key: end === -1 ? setting : setting.slice(0, end),
      value: end === -1 ? "true" : setting.slice(end + 1),
    });
  }
  return entries;
}

/** The settings after those that the environment has already. */
export function withOverrides(env: NodeJS.ProcessEnv, overrides: Overrides): NodeJS.ProcessEnv {
  if (overrides.length === 0) return env;
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const pairs = overrides.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key] as const,
    [`GIT_CONFIG_VALUE_${first + index}`, value] as const,
  ]);
  // Of the proxies the first one counts, so that none can be overridden; an empty variable turns them all off.
  const isProxied = overrides.some(([key]) => key === "core.gitproxy");
  const proxy = isProxied ? { GIT_PROXY_COMMAND: env["GIT_PROXY_COMMAND"] ?? "" } : {};
  return { ...env, ...proxy, ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + overrides.length) };
}
