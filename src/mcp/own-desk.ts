// The desk of the attempt in whose environment this process runs, for commands that its agent calls. They need no store: on a server, an
// agent has no address of one.

import { Agent, request } from "node:http";
import type { Check } from "../domain/check.ts";
import { AppError, errorText } from "../domain/error.ts";

/** The tool that takes a whole answer; only commands of Pawl call it. */
export const handInTool = "hand_in";

/** What came of an answer that was handed in. */
interface HandedInReply {
  readonly accepted: boolean;
  readonly why: string;
}

/** What the agent works on. */
interface OwnContext {
  readonly run: { readonly id: string };
  readonly story: { readonly id: string } | null;
  readonly step: { readonly name: string };
  readonly checks: readonly Check[];
}

export interface OwnDesk {
  /** `token`: another one than that of the environment. */
  handIn(outcome: "ran" | "failed", text: string, token?: string): Promise<HandedInReply>;
  context(): Promise<OwnContext>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** null: Pawl did not start the agent that calls, or did not start it for this attempt. */
export function ownDesk(env: Environment, attempt?: string): OwnDesk | null {
  const { PAWL_DESK: url, PAWL_TOKEN: own = "", PAWL_ATTEMPT_ID: id } = env;
  if (url === undefined || (attempt !== undefined && attempt !== id)) return null;
  return {
    handIn: async (outcome, text, token = own) => await call(url, token, handInTool, { outcome, text }),
    async context() {
      const { accepted, why } = await call(url, own, "get_context", {});
      if (accepted) return JSON.parse(why) as OwnContext;
      throw new AppError("REFUSED", why, { hint: endedHint });
    },
  };
}

const endedHint = "end your turn: Pawl starts a step that has no result again";
const patienceMs = 30_000;

async function call(url: string, token: string, name: string, given: object): Promise<HandedInReply> {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
  try {
    const { result, error } = JSON.parse(await post(url, token, JSON.stringify(message))) as Answer;
    if (result === undefined) return { accepted: false, why: error?.message ?? "" };
    return { accepted: result.isError !== true, why: result.content.map(({ text }) => text).join("\n") };
  } catch (error) {
    const what = "the process of Pawl that started this agent cannot be reached";
    throw new AppError("REFUSED", `${what}: ${errorText(error)}`, { hint: endedHint, cause: error });
  }
}

interface Answer {
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

async function post(url: string, token: string, message: string): Promise<string> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  // An agent of its own: a proxy that the environment names is for other machines.
  const options = { method: "POST", headers, agent: new Agent(), timeout: patienceMs };
  return await new Promise<string>((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    });
    sent.on("timeout", () => sent.destroy(new Error("it does not answer")));
    sent.on("error", reject).end(message);
  });
}
