// Recognizes Pawl's own tools in the names by which agents call them. Only a whole name counts.

import { mcpName } from "./agent-profile.ts";

/** The tools that an attempt offers to its agent. */
export const pawlTools = ["complete", "fail", "progress", "ask_human", "get_context", "edit_workflow"] as const;

const tool = `(?:${pawlTools.join("|")})`;
/** Agents put the server's name before or behind the tool's name; other servers of the user may have similar names. */
const ours = new RegExp(`^(?:mcp[_.:/-]+)?${mcpName}(?:[_.:/-]|__|: )${tool}$|^${tool} \\(${mcpName} MCP Server\\)$`);

/** Each agent has its own form: `mcp__pawl__complete`, `pawl.complete`, `pawl_complete`, `complete (pawl MCP Server)`. */
export function isPawlTool(name: string): boolean {
  return ours.test(name.trim());
}
