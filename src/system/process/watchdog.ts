// The watchdog: one small shell process beside this one. When this process is gone without having ended its programs (kill -9, a second
// Ctrl-C), the watchdog ends them, so that no program works on without an owner. It hears from this process through a pipe, and the
// kernel closes that pipe however the process dies.

import { type ChildProcess, spawn } from "node:child_process";
import type { Marker } from "./strays.ts";
import { hasProc } from "./table.ts";

/** From the death of this process: what its programs have to end in order. */
const graceSeconds = 2;

// `+ NAME=VALUE` and `- NAME=VALUE` say what runs; `@ NAME=VALUE PID` names the group, for machines without /proc.
const script = `
trap '' HUP INT TERM
runs=' ' groups=' '
while read -r what mark pid; do
  case $what in
  +) runs="$runs$mark " ;;
  @) groups="$groups$mark:$pid " ;;
  -)
    case $runs in *" $mark "*) runs="\${runs%%" $mark "*} \${runs#*" $mark "}" ;; esac
    ;;
  esac
done
found() {
  for mark in $runs; do
    for file in $(grep -lazxF -- "$mark" /proc/[0-9]*/environ 2> /dev/null); do
      pid=\${file#/proc/}
      echo "\${pid%%/*}"
    done
    for group in $groups; do case $group in "$mark":*) echo "-\${group##*:}" ;; esac; done
  done
}
end() { for pid in $(found); do kill -s "$1" -- "$pid" 2> /dev/null; done; }
[ "$runs" = ' ' ] && exit 0
end TERM
for second in $(seq ${graceSeconds * 5}); do
  [ -z "$(found)" ] && exit 0
  sleep 0.2
done
for again in 1 2 3; do end KILL; done
`;

let watchdog: ChildProcess | null = null;

/** From here on, the programs with this marker end with this process. Call it before the start, and the result at the end. */
export function watch({ name, value }: Marker): { started(pid: number): void; ended(): void } {
  const mark = `${name}=${value}`;
  if (process.platform === "win32" || /\s/.test(mark)) return { started: () => undefined, ended: () => undefined };
  tell(`+ ${mark}`);
  return {
    started: (pid) => hasProc || tell(`@ ${mark} ${pid}`),
    ended: () => tell(`- ${mark}`),
  };
}

function tell(line: string): void {
  watchdog ??= start();
  watchdog.stdin?.write(`${line}\n`);
}

function start(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", script], {
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    cwd: "/",
    detached: true, // a session of its own: what ends our terminal does not end the watchdog
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a watchdog everything works; what a dead process left is then ended by the next command.
  child.on("error", () => undefined);
  child.stdin?.on("error", () => undefined);
  child.unref();
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  return child;
}
