// Answers an agent's requests for permission, by the agent's access and by the policy of its executor.

import type { RequestPermissionOutcome, RequestPermissionRequest, ToolKind } from "@agentclientprotocol/sdk";
import { projectTools, readOnlyGit, readOnlyShell } from "../agent/agent-profile.ts";
import { isPawlTool } from "../agent/pawl-tools.ts";
import type { Access } from "../executor.ts";
import { type Fields, fieldsOf, listOf, nameOf, textOf } from "../stream/fields.ts";

/** The answer to requests; `ask`: a person decides, and the attempt ends there. */
export type PermissionPolicy = "allow" | "ask" | "deny";

export type PermissionAnswer =
  | { readonly outcome: RequestPermissionOutcome; readonly question: null }
  /** A person must decide; `question` is what the agent asks for. */
  | { readonly outcome: RequestPermissionOutcome; readonly question: string };

const looking: ReadonlySet<ToolKind> = new Set(["read", "search", "think"]);
const reaching: ReadonlySet<ToolKind> = new Set([...looking, "fetch"]);
const shownOfWish = 500;

export function answerPermission(
  { toolCall, options }: RequestPermissionRequest,
  access: Access,
  policy: PermissionPolicy,
  commands: readonly string[] = [],
): PermissionAnswer {
  const choose = (wanted: "allow" | "reject"): RequestPermissionOutcome => {
    // Prefers the answer for this one call: the next request gets the answer that is right then.
    const kinds = [`${wanted}_once`, `${wanted}_always`];
    const chosen = kinds.map((kind) => options.find((option) => option.kind === kind)).find(Boolean);
    return chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" };
  };
  const call = fieldsOf(toolCall);
  const kind = toolCall.kind ?? "other";
  if (looking.has(kind) || isOurs(call)) return { outcome: choose("allow"), question: null };
  if (access === "read")
    return { outcome: choose(reaching.has(kind) || isHarmless(call, commands) ? "allow" : "reject"), question: null };
  if (policy === "ask") return { outcome: { outcome: "cancelled" }, question: wishOf(call) };
  return { outcome: choose(policy === "allow" ? "allow" : "reject"), question: null };
}

/** Pawl's own tools change nothing but the step, so an agent with `read` access may call them too. */
function isOurs(call: Fields): boolean {
  const kind = call["kind"] ?? "other";
  return kind === "other" && isPawlTool(nameOf(call["name"]) ?? textOf(call["title"]));
}

/** A reviewer must see what was changed. A command that a shell would expand does not qualify. */
function isHarmless(call: Fields, commands: readonly string[]): boolean {
  const command = commandOf(call);
  if (call["kind"] !== "execute" || command === null || /[^\w ./:=@^~,+-]/.test(command)) return false;
  const words = command.trim().split(/ +/);
  const plain = words.join(" ");
  if (commands.includes(plain)) return true;
  const startsWithOne = (known: readonly string[]) => known.some((one) => plain === one || plain.startsWith(`${one} `));
  if (startsWithOne(readOnlyShell) || startsWithOne(projectTools)) return true;
  const isLooking = startsWithOne(readOnlyGit);
  // Options that write a file or start a program of the user's; git accepts the beginning of an option for the whole.
  return isLooking && !words.some((word) => /^--(?:ou|ext|te)/.test(word));
}

function commandOf(call: Fields): string | null {
  const { command } = fieldsOf(call["rawInput"]);
  if (Array.isArray(command))
    return listOf(command).every((word) => typeof word === "string") ? command.join(" ") : null;
  return nameOf(command);
}

/** The tool and its purpose: `Write hello.txt (edit)`, `run a command (execute): npm publish`. */
function wishOf(call: Fields): string {
  const tool = textOf(call["title"]) || textOf(call["name"]) || "a tool";
  const kind = nameOf(call["kind"]);
  const [place] = listOf(call["locations"]).map((location) => textOf(fieldsOf(location)["path"]));
  const what = commandOf(call) ?? place ?? "";
  const more = what === "" || tool.includes(what) ? "" : `: ${what}`;
  return `${tool}${kind === null ? "" : ` (${kind})`}${more}`.replaceAll(/\s+/g, " ").slice(0, shownOfWish);
}
