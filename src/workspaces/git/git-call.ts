// One call of git as a child process. Owns: what it printed, how it ended, and its limits. It needs nothing else of Pawl, because the git
// starter is a small process.

import { type ChildProcess, spawn } from "node:child_process";

export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export type GitEnd =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "too_slow" }
  | { readonly kind: "too_much" }
  | { readonly kind: "not_started"; readonly why: string };

export function callGit({ cwd, args, env, input, timeoutMs, maxBytes }: GitCall): Promise<GitEnd> {
  return new Promise((resolve) => {
    // A session of its own: ssh finds no terminal to ask on, Ctrl-C does not interrupt it, and a timeout kills its helpers too.
    const child = spawn("git", args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true, windowsHide: true });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let stopped: GitEnd | null = null;

    const stop = (reason: GitEnd) => {
      stopped ??= reason;
      killGroup(child);
    };
    const timer = setTimeout(() => stop({ kind: "too_slow" }), timeoutMs);
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) stop({ kind: "too_much" });
      else into.push(chunk);
    };
    child.stdout.on("data", collect(out));
    child.stderr.on("data", collect(err));
    // git may exit before it has read its input; the exit code says why.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);

    const end = (how: GitEnd) => {
      clearTimeout(timer);
      resolve(stopped ?? how);
    };
    child.on("error", ({ message }) => end({ kind: "not_started", why: message }));
    child.on("close", (code, signal) => {
      if (signal !== null) return end({ kind: "killed", signal });
      end({ kind: "exited", code: code ?? 128, stdout: textOf(out), stderr: textOf(err) });
    });
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}
