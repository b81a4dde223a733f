// A person's agent session for tests: `pawl mcp` as a child process, called as an agent calls it.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Site } from "./pawl.ts";
import { until } from "./until.ts";

const program = fileURLToPath(new URL("../../bin/pawl", import.meta.url));

export interface Answer {
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  /** The parsed text, if it is a document. */
  readonly document: unknown;
}

export class McpSession {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  #stdout = "";
  #stderr = "";
  #id = 0;

  constructor({ home, repo }: Site, args: readonly string[] = []) {
    this.#child = spawn(process.execPath, [program, "mcp", ...args], {
      cwd: repo,
      detached: true,
      env: { PATH: process.env["PATH"], LANG: "C.UTF-8", HOME: home, PAWL_HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.#child.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      this.#child.once("exit", resolve);
    });
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  /** All messages so far; throws on a line that is not a message. */
  get answers(): readonly Answer[] {
    return this.#stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Answer);
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  async rpc(method: string, params: object = {}): Promise<Answer> {
    this.#id += 1;
    const id = this.#id;
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const answered = () => this.answers.find((answer) => answer.id === id);
    await until(() => answered() ?? this.#child.exitCode !== null);
    return answered() ?? Promise.reject(new Error(`the process has ended: ${this.#stderr}`));
  }

  async begin(): Promise<void> {
    const clientInfo = { name: "test", version: "1" };
    await this.rpc("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    this.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  }

  async call(name: string, given: object = {}): Promise<ToolResult> {
    const { result } = await this.rpc("tools/call", { name, arguments: given });
    const { content, isError = false } = result as { content: readonly { text: string }[]; isError?: boolean };
    const text = content.map((part) => part.text).join("");
    return { isError, text, document: text.startsWith("{") ? JSON.parse(text) : null };
  }

  /** The document of a tool call that must succeed. */
  async documentOf<T>(name: string, given: object = {}): Promise<T> {
    const { isError, text, document } = await this.call(name, given);
    if (isError) throw new Error(`${name}: ${text}`);
    return document as T;
  }

  end(): void {
    this.#child.stdin.end();
  }

  /** Kills the whole process group at once, as closing a terminal does. */
  async kill(): Promise<void> {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    await this.ended;
  }
}
