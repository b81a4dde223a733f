// The MCP server. Owns: the methods of the Model Context Protocol for a server that only has tools. Does not own: how messages travel.

import { readFileSync } from "node:fs";
import type { Reply } from "../runtime/attempt/execute/desk.ts";
import { packageFile } from "../system/package-root.ts";
import { answerText, type Params, RpcError, type RpcReply } from "./json-rpc.ts";
import type { Tool } from "./tool.ts";

/** The newest first. */
const versions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
/** Later versions have no batches. */
const withBatches = "2025-03-26";
const methods = new Set(["initialize", "ping", "tools/list", "tools/call"]);

export function isVersion(text: string): boolean {
  return versions.some((version) => version === text);
}

/** The version of a caller that names none over HTTP. */
export const unnamedVersion = withBatches;

export class McpServer {
  readonly #tools: readonly Tool[];
  readonly #instructions: string;
  #version: string = versions[0];

  constructor(tools: readonly Tool[], instructions: string) {
    this.#tools = tools;
    this.#instructions = instructions;
  }

  /** Answers one message, or a batch of them. `version`: of the caller, where each message names it. */
  async answer(text: string, version = this.#version): Promise<RpcReply> {
    return await answerText(text, version === withBatches, (method, params) => this.#perform(method, params, version));
  }

  async #perform(method: string, params: Params, version: string): Promise<object> {
    // Before the version: a client of a newer version detects ours by an unknown method.
    if (!methods.has(method)) throw new RpcError("method", `there is no method ${method}`);
    if (!isVersion(version)) throw new RpcError("request", `the version must be one of ${versions.join(", ")}`);
    if (method === "initialize") return this.#initialize(params);
    if (method === "tools/list") return this.#list(params);
    if (method === "tools/call") return await this.#call(params);
    return {};
  }

  #initialize({ protocolVersion }: Params): object {
    if (typeof protocolVersion !== "string") throw new RpcError("params", "protocolVersion is missing");
    this.#version = isVersion(protocolVersion) ? protocolVersion : versions[0];
    return {
      protocolVersion: this.#version,
      capabilities: { tools: {} },
      serverInfo: { name: "pawl", title: "Pawl", version: ownVersion() },
      instructions: this.#instructions,
    };
  }

  #list({ cursor }: Params): object {
    if (cursor !== undefined) throw new RpcError("params", "the list has one page");
    return { tools: this.#shown.map((tool) => tool.describe()) };
  }

  get #shown(): readonly Tool[] {
    return this.#tools.filter(({ isHidden }) => !isHidden);
  }

  async #call({ name, arguments: given = {} }: Params): Promise<object> {
    const tool = this.#tools.find((candidate) => candidate.name === name);
    const known = this.#shown.map((candidate) => candidate.name).join(", ");
    if (tool === undefined)
      throw new RpcError("params", `there is no tool ${JSON.stringify(name)}; there are: ${known}`);
    return resultOf(await tool.call(given));
  }
}

function resultOf({ accepted, text }: Reply): object {
  return { content: [{ type: "text", text }], ...(accepted ? {} : { isError: true }) };
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { readonly version: string }).version;
}
