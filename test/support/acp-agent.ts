// An ACP agent for tests, as a program. It performs the script in its one argument, the JSON of an `AcpPlay`. It implements the
// protocol by hand: with the SDK on both sides, a bug in the SDK would stay hidden.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { StringDecoder } from "node:string_decoder";

export interface AcpPlay {
  /** Performed in order when it gets its prompt; then its turn ends. */
  readonly acts: readonly AcpAct[];
  readonly capabilities?: object;
  /** The extensions that it declares. */
  readonly meta?: object;
  /** The outcome that it answers to a message in its running turn; absent: it takes the message. */
  readonly steers?: string;
  /** Fields beside the id in the answer to `session/new`. */
  readonly session?: object;
  /** Methods that it never answers; with `session/cancel` it continues to work. */
  readonly ignores?: readonly string[];
  /** Methods that it answers with this error. */
  readonly errors?: Readonly<Record<string, object>>;
  /** Updates that it sends while it loads an earlier session. */
  readonly history?: readonly object[];
  /** It exits neither when its input ends nor on SIGTERM. */
  readonly stays?: boolean;
  /** Its exit code. */
  readonly leaves?: number;
  /** The protocol version that it reports. */
  readonly version?: number;
}

export type AcpAct =
  | { readonly say: string }
  | { readonly print: string; readonly to?: "stderr" }
  | { readonly update: object }
  /** Asks for permission; the tool call then completes or fails. */
  | { readonly permission: object; readonly options?: readonly string[] }
  /** Sends a request to its client, and says the response. */
  | { readonly request: string; readonly params: object }
  /** Says its prompt, or the parameters with which its session was opened. */
  | { readonly repeat: "prompt" | "session" | "settings" }
  /** Runs shell text, and says what it prints. */
  | { readonly shell: string }
  /** Waits for a message in its running turn, and says it. */
  | { readonly hear: "message" }
  | { readonly flood: number }
  | { readonly wait: "for ever" }
  | { readonly exit: number }
  | { readonly error: object }
  | { readonly stop: object };

type Message = Readonly<Record<string, unknown>>;

const play = JSON.parse(process.argv[2] ?? "{}") as AcpPlay;
const answers = new Map<unknown, (message: Message) => void>();
const settings: unknown[] = [];
let asked = 0;
let opened: unknown = null;
let prompted: unknown = null;
let text = "";
const message = Promise.withResolvers<string>();

function send(message: object): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`, () => resolve());
  });
}

const tell = (update: object) => send({ method: "session/update", params: { sessionId: "s-1", update } });
const say = (piece: string) => tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: piece } });

async function request(method: string, params: object): Promise<Message> {
  asked += 1;
  const id = asked;
  const answer = new Promise<Message>((resolve) => void answers.set(id, resolve));
  await send({ id, method, params: { sessionId: "s-1", ...params } });
  return await answer;
}

async function perform(act: AcpAct): Promise<object | null> {
  if ("say" in act) await say(act.say);
  if ("print" in act) process[act.to ?? "stdout"].write(act.print);
  if ("update" in act) await tell(act.update);
  if ("permission" in act) await askPermission(act.permission, act.options ?? ["allow_once", "reject_once"]);
  if ("request" in act) {
    const { result, error } = await request(act.request, act.params);
    await say(JSON.stringify({ result, error }));
  }
  if ("repeat" in act)
    await say(act.repeat === "prompt" ? text : JSON.stringify({ session: opened, settings }[act.repeat]));
  if ("shell" in act) await shell(act.shell);
  if ("hear" in act) await say(`told: ${await message.promise}\n`);
  if ("flood" in act) for (let sent = 0; sent < act.flood; sent += 1) await say("x".repeat(1_000_000));
  if ("wait" in act) await new Promise(() => setInterval(() => undefined, 1_000));
  if ("exit" in act) process.exit(act.exit);
  if ("error" in act) return { error: act.error };
  return "stop" in act ? { result: act.stop } : null;
}

async function askPermission(call: object, kinds: readonly string[]): Promise<void> {
  const toolCall = { toolCallId: `t-${asked}`, title: "a tool", ...call };
  await tell({ sessionUpdate: "tool_call", status: "pending", ...toolCall });
  const options = kinds.map((kind) => ({ optionId: `o-${kind}`, kind, name: kind }));
  const { result } = await request("session/request_permission", { toolCall, options });
  const { outcome } = (result ?? {}) as { outcome?: { optionId?: string } };
  const isAllowed = outcome?.optionId?.startsWith("o-allow") === true;
  const { toolCallId } = toolCall;
  await tell({ sessionUpdate: "tool_call_update", toolCallId, status: isAllowed ? "completed" : "failed" });
  await say(`${JSON.stringify(outcome)}\n`);
}

/** Ends with the shell. Processes that the shell left running may hold the pipe; it does not wait for them. */
async function shell(script: string): Promise<void> {
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 143)));
  const decoder = new StringDecoder("utf8");
  let heardAt = Date.now();
  const read = (async () => {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      heardAt = Date.now();
      await say(decoder.write(chunk));
    }
    await say(decoder.end());
  })();
  const code = await exited;
  // What it printed is in the pipe, and on a busy machine nothing of it has been read yet.
  heardAt = Date.now();
  const idle = new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (Date.now() - heardAt < 500) return;
      clearInterval(look);
      resolve();
    }, 50);
  });
  await Promise.race([read, idle]);
  if (code !== 0) process.exit(code);
}

async function prompt(id: unknown): Promise<void> {
  prompted = id;
  let end: object | null = null;
  for (const act of play.acts) end ??= await perform(act);
  await send({ id, ...(end ?? { result: { stopReason: "end_turn", usage: { inputTokens: 30, outputTokens: 10 } } }) });
  prompted = null;
}

function textIn(fields: Message): string {
  return (fields["prompt"] as { text: string }[]).map((block) => block.text).join("");
}

async function answer({ id, method, params }: Message): Promise<void> {
  if (play.ignores?.includes(String(method))) return;
  const error = play.errors?.[String(method)];
  if (error !== undefined) return await send({ id, error });
  const fields = (params ?? {}) as Message;
  const info = { name: "stub", version: "9.9.9" };
  switch (method) {
    case "initialize":
      return await send({
        id,
        result: {
          protocolVersion: play.version ?? 1,
          agentInfo: info,
          agentCapabilities: play.capabilities ?? {},
          _meta: play.meta,
        },
      });
    case "session/load":
    case "session/resume":
      for (const update of play.history ?? []) await tell(update);
      opened = { method, ...fields };
      return await send({ id, result: play.session ?? {} });
    case "session/new":
      opened = { method, ...fields };
      return await send({ id, result: { sessionId: "s-1", ...play.session } });
    case "session/set_config_option":
    case "session/set_mode":
    case "session/set_model":
      settings.push({ method, ...fields });
      return await send({ id, result: {} });
    case "session/prompt":
      text = textIn(fields);
      return await prompt(id);
    case "_session/steering": {
      const { steering } = (fields["_meta"] ?? {}) as { steering?: { idleBehavior?: string } };
      const idle = steering?.idleBehavior ?? "startedNewTurn";
      const outcome = play.steers ?? (prompted === null ? idle : "injected");
      if (outcome === "injected") message.resolve(textIn(fields));
      return await send({ id, result: { outcome } });
    }
    case "session/cancel":
      if (prompted !== null) await send({ id: prompted, result: { stopReason: "cancelled" } });
      return;
    default:
      return await send({ id, error: { code: -32601, message: "not supported" } });
  }
}

process.stdout.on("error", () => process.exit(1));
if (play.stays === true) {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1_000);
}
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line) as Message;
  if (message["method"] !== undefined) return void answer(message);
  answers.get(message["id"])?.(message);
  answers.delete(message["id"]);
});
lines.on("close", () => {
  if (play.stays !== true) process.exit(play.leaves ?? 0);
});
