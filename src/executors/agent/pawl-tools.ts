// Our own tools, as agents call them. Owns: telling them from anybody else's by their whole name.

import { mcpName } from "./agent-profile.ts";

/** Those that the agent of an attempt is offered. */
export const pawlTools = ["complete", "fail", "progress", "ask_human", "get_context", "edit_workflow"] as const;

const tool = `(?:${pawlTools.join("|")})`;
/** Agents put the name of the server before, or behind, the name of its tool; the user has other servers, called nearly the same. */
const ours = new RegExp(`^(?:mcp[_.:/-]+)?${mcpName}(?:[_.:/-]|__|: )${tool}$|^${tool} \\(${mcpName} MCP Server\\)$`);

/** `mcp__pawl__complete`, `pawl.complete`, `pawl_complete`, `complete (pawl MCP Server)`: each agent has its own way. */
export function isPawlTool(name: string): boolean {
  return ours.test(name.trim());
}
