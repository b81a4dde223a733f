// A person who works in the checkout of the base while Pawl moves it: commits, takes the last commit out, drops the one before it.

import { execFileSync, type StdioOptions } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Choose } from "../../support/random-run.ts";

/** How long another git may hold a lock before the person complains. */
const patienceMs = 20_000;

export class Person {
  readonly acts: Record<string, number> = {};
  readonly troubles: string[] = [];
  /** Files of commits that the person took out, their own and those of stories. */
  readonly takenOut = new Set<string>();
  /** Files of the person's commits that are still wanted. */
  readonly kept = new Set<string>();
  readonly #repo: string;
  readonly #choose: Choose;
  #commits = 0;

  constructor(repo: string, choose: Choose) {
    this.#repo = repo;
    this.#choose = choose;
  }

  restMs(): number {
    return 100 + this.#choose(600);
  }

  async meddle(): Promise<void> {
    const act = this.#choose(4);
    if (act < 2) await this.#commit();
    else if (act === 2) await this.#takeOut("reset", ["reset", "--quiet", "--hard", "HEAD~1"]);
    else await this.#takeOut("rebase", ["rebase", "--quiet", "--onto", "HEAD~2", "HEAD~1"]);
  }

  async #commit(): Promise<void> {
    this.#commits += 1;
    const name = `mine-${this.#commits}.txt`;
    writeFileSync(join(this.#repo, name), `${name}\n`);
    const isDone =
      (await this.#git("add", name)) && (await this.#git("commit", "--quiet", "--message", name, "--", name));
    if (!isDone) return;
    this.kept.add(name);
    this.#count("commit");
  }

  /** Only what came after the start of the run. */
  async #takeOut(name: string, args: readonly string[]): Promise<void> {
    if (Number(this.#read("rev-list", "--count", "main")) < 6) return;
    if (!(await this.#git(...args))) return;
    // As git saw it when it began: Pawl may have moved the branch a moment before.
    const lost = this.#read("log", "--format=", "--name-only", "--no-renames", "ORIG_HEAD", "--not", "HEAD");
    const there = new Set(this.#read("ls-tree", "--name-only", "HEAD").split("\n"));
    for (const file of lost.split("\n").filter((line) => line !== "" && !there.has(line))) {
      this.takenOut.add(file);
      this.kept.delete(file);
    }
    this.#count(name);
  }

  /** Tries again while Pawl moves the checkout, as a person does. */
  async #git(...args: readonly string[]): Promise<boolean> {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      try {
        this.#read(...args);
        return true;
      } catch (error) {
        const said = String((error as { stderr?: string }).stderr);
        if (args[0] === "rebase") this.#abort();
        // The branch moves a moment before the index: some commands see that.
        if (!/\.lock|unable to lock|cannot lock|uncommitted changes|unstaged changes/i.test(said)) {
          this.troubles.push(`git ${args.join(" ")} of the person failed: ${said}`);
          return false;
        }
        if (performance.now() > giveUpAt) {
          this.troubles.push(`the person's git stays locked: ${said}`);
          return false;
        }
        await sleep(20);
      }
    }
  }

  #abort(): void {
    try {
      this.#read("rebase", "--abort");
    } catch {
      // It had not begun.
    }
  }

  #read(...args: readonly string[]): string {
    const stdio: StdioOptions = ["ignore", "pipe", "pipe"];
    return execFileSync("git", args, { cwd: this.#repo, encoding: "utf8", stdio }).trimEnd();
  }

  #count(act: string): void {
    this.acts[act] = (this.acts[act] ?? 0) + 1;
  }
}
