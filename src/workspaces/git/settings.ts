// Git's configuration as a tree sees it. It is asked for at every integration and changes hardly ever, so an answer holds while the
// files that it came from are the same.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { layoutOf } from "../../system/git-directory.ts";
import { git, splitNul } from "./git.ts";

/** Lower-case keys with their last value. */
export type GitSettings = ReadonlyMap<string, string>;

interface Answer {
  readonly settings: GitSettings;
  readonly files: readonly string[];
  readonly state: string;
}

const answers = new Map<string, Answer>();
const maxAnswers = 200;

/** `dir` is a tree or a git directory. */
export async function gitSettings(dir: string): Promise<GitSettings> {
  const known = answers.get(dir);
  if (known !== undefined && known.state === stateOf(known.files)) return known.settings;
  answers.delete(dir);
  const files = settingsFiles(dir);
  const before = stateOf(files);
  const { stdout } = await git(dir, ["config", "--null", "--list", "--show-origin"], { allowFailure: true });
  const { settings, origins } = parse(dir, stdout);
  const all = [...new Set([...files, ...origins])];
  // An included file may come and go, and may count for one branch only: such a configuration is asked for each time.
  const includes = [...settings.keys()].some((key) => key.startsWith("include"));
  const isOld = before === stateOf(files) && newest(all) < Date.now() - sameTickMs;
  if (!includes && isOld && answers.size < maxAnswers) answers.set(dir, { settings, files: all, state: stateOf(all) });
  return settings;
}

/** A file that was written twice within the resolution of its time stamps would look unchanged. */
const sameTickMs = 100;

/** Where git looks for settings and for what settings name by default, whether there is such a file now or not. */
export function settingsFiles(dir: string): readonly string[] {
  const layout = layoutOf(dir) ?? { gitDir: dir, commonDir: dir };
  const home = process.env["HOME"] ?? homedir();
  const config = process.env["XDG_CONFIG_HOME"] || join(home, ".config");
  const named = [process.env["GIT_CONFIG_GLOBAL"], process.env["GIT_CONFIG_SYSTEM"]].filter(
    (file) => file !== undefined,
  );
  return [
    join(layout.commonDir, "config"),
    join(layout.commonDir, "config.worktree"),
    join(layout.gitDir, "config.worktree"),
    join(home, ".gitconfig"),
    join(config, "git/config"),
    join(config, "git/ignore"),
    join(config, "git/attributes"),
    "/etc/gitconfig",
    ...named,
  ];
}

/** Pairs of an origin and a setting; the setting has its key and its value on two lines. */
function parse(dir: string, text: string): { readonly settings: GitSettings; readonly origins: readonly string[] } {
  const words = splitNul(text);
  const settings = new Map<string, string>();
  const origins: string[] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [origin = "", setting = ""] = [words[index], words[index + 1]];
    if (origin.startsWith("file:")) origins.push(resolve(dir, origin.slice("file:".length)));
    const end = setting.indexOf("\n");
    if (end === -1) settings.set(setting, "true");
    else settings.set(setting.slice(0, end), setting.slice(end + 1));
  }
  return { settings, origins };
}

/** The variables that say where its files are, and those that are settings themselves. */
export function settingsVariables(): string {
  const names = /^(?:GIT_CONFIG|HOME$|XDG_CONFIG_HOME$)/;
  return JSON.stringify(Object.entries(process.env).filter(([name]) => names.test(name)));
}

function stateOf(files: readonly string[]): string {
  const states = files.map((file) => {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? "" : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ");
  });
  return JSON.stringify([settingsVariables(), states]);
}

function newest(files: readonly string[]): number {
  return Math.max(0, ...files.map((file) => statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0));
}
