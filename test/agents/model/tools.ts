// The agents' own tools: how each agent's model calls them for a command or a file. It does not matter which API carries the call.

import { type Conversation, completeIn, type Move, type OfferedTool } from "./conversation.ts";

export interface ToolCall {
  readonly tool: OfferedTool;
  /** An object, or plain text for a tool without a schema. */
  readonly input: Readonly<Record<string, unknown>> | string;
}

type Asking = Exclude<Move, { readonly does: "say" | "refuse" }>;
type Inputs<M extends Asking["does"]> = Readonly<
  Record<string, (move: Extract<Asking, { readonly does: M }>) => ToolCall["input"]>
>;

const shells: Inputs<"shell"> = {
  Bash: ({ command }) => ({ command, description: "Run a command" }),
  bash: ({ command }) => ({ command, description: "Run a command" }),
  exec_command: ({ command }) => ({ cmd: command, yield_time_ms: 30_000 }),
  shell_command: ({ command }) => ({ command }),
  shell: ({ command }) => ({ command: ["sh", "-c", command] }),
};

const writers: Inputs<"write"> = {
  Write: ({ path, content }) => ({ file_path: path, content }),
  write: ({ path, content }) => ({ filePath: path, content }),
  apply_patch: ({ path, content }) => patch(path, content),
};

const searches: Inputs<"search"> = {
  ToolSearch: ({ query }) => ({ query }),
  tool_search: ({ query }) => ({ query }),
};

export function callFor(move: Asking, conversation: Conversation): ToolCall {
  switch (move.does) {
    case "shell":
      return chosen(conversation, shells, move);
    case "write":
      return chosen(conversation, writers, move);
    case "search":
      return chosen(conversation, searches, move);
    case "complete": {
      const tool = completeIn(conversation);
      if (tool === null) throw unknown(move, conversation);
      return { tool, input: move.given };
    }
  }
}

function chosen<M extends Asking>(
  conversation: Conversation,
  inputs: Readonly<Record<string, (move: M) => ToolCall["input"]>>,
  move: M,
): ToolCall {
  const tool = conversation.tools.find(({ name }) => Object.hasOwn(inputs, name));
  const input = tool && inputs[tool.name]?.(move);
  if (!tool || input === undefined) throw unknown(move, conversation);
  return { tool, input };
}

function unknown({ does }: Move, { tools }: Conversation): Error {
  return new Error(`no tool for "${does}" among ${tools.map(({ name }) => name).join(", ")}`);
}

/** A whole file as a patch of Codex. */
function patch(path: string, content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch", ""].join(
    "\n",
  );
}
