// A real terminal for tests: a program in a pane of tmux, on a server of its own that ends with the test.

import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { patienceMs } from "./patience.ts";
import { tempDir } from "./repository.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

export interface PaneOptions {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Pane {
  /** What is on the screen, without blanks at the ends of lines. */
  screen(): string;
  /** With the escape sequences of colours. */
  colours(): string;
  /** Waits until the screen fits, and returns it. */
  shows(text: string | RegExp): Promise<string>;
  /** Keys by tmux's names: `Enter`, `Down`, `C-c`; one of several characters is typed. */
  press(...keys: readonly string[]): void;
  resize(columns: number, rows: number): void;
}

/** Nothing of the user's own: no status line, no delay after an escape, and an ended program stays visible. */
const settings =
  "set -g status off\nset -g escape-time 0\nset -g remain-on-exit on\nset -g default-terminal screen-256color\n";

export interface Terminal {
  /** The shell command in a pane of this size. */
  open(command: string, options: PaneOptions): Pane;
}

export function newTerminal(): Terminal {
  const socket = `pawl-${randomUUID()}`;
  const file = join(tempDir(), "tmux.conf");
  writeFileSync(file, settings);
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-L", socket, "-f", file, ...args], { encoding: "utf8", env: { ...process.env, TMUX: "" } });
  onTestFinished(() => {
    spawnSync("tmux", ["-L", socket, "kill-server"]);
  });
  let panes = 0;
  return {
    open(command, { columns, rows, cwd, env }) {
      panes += 1;
      const name = `pane${panes}`;
      // The shell that tmux starts may set variables itself.
      const variables = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
      const words = ["env", ...variables, "sh", "-c", command].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
      const size = ["-x", String(columns), "-y", String(rows)];
      tmux("new-session", "-d", "-s", name, ...size, "-c", cwd, words.join(" "));
      const screen = () =>
        tmux("capture-pane", "-p", "-t", name)
          .replaceAll(/[ \t]+$/gm, "")
          .trimEnd();
      return {
        screen,
        colours: () => tmux("capture-pane", "-p", "-e", "-t", name),
        async shows(text) {
          const wanted = typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text);
          await expect.poll(screen, { timeout: patienceMs, interval: 100 }).toEqual(wanted);
          return screen();
        },
        press(...keys) {
          for (const key of keys) tmux("send-keys", "-t", name, key);
        },
        resize(width, height) {
          tmux("resize-window", "-t", name, "-x", String(width), "-y", String(height));
        },
      };
    },
  };
}
