// The conversation with an ACP agent: Pawl's requests in their order, and Pawl's answers to the agent's requests. acp/reader.ts reads
// what the agent reports; the run ends its process.

import { client, PROTOCOL_VERSION, RequestError, type Stream } from "@agentclientprotocol/sdk";
import { isSafeId } from "../../domain/ids.ts";
import { longestTimerMs } from "../../system/clock.ts";
import { mcpName } from "../agent/agent-profile.ts";
import type { OwnHalt } from "../agent/agent-watch.ts";
import type { Access, McpAddress, Receipt } from "../executor.ts";
import { type Fields, fieldsOf, nameOf } from "../stream/fields.ts";
import { choiceOf, type Topic } from "./choices.ts";
import { agentFiles } from "./files.ts";
import { answerPermission, type PermissionPolicy } from "./permissions.ts";

export interface Topics {
  readonly title: string;
  /** What was started, as a message shows it. */
  readonly command: string;
  readonly prompt: string;
  readonly cwd: string;
  readonly access: Access;
  readonly permissions: PermissionPolicy;
  /** Commands that it may run although it may only read. */
  readonly commands: readonly string[];
  /** Directories beside the workspace whose files it may read and write through Pawl. */
  readonly outside: readonly string[];
  /** Directories that its session includes beside the workspace. */
  readonly directories: readonly string[];
  readonly model: string | null;
  readonly effort: string | null;
  readonly mode: string | null;
  readonly resume: string | null;
  readonly mcp: McpAddress | null;
  /** The longest wait for each answer before the prompt. */
  readonly startMs: number;
}

export interface Conversation {
  /** Settles when the prompt is answered, or cannot be answered. Never rejects. */
  readonly over: Promise<void>;
  /** What was asked for and is not available. */
  readonly notes: readonly string[];
  /** The agent answered the prompt, and not with an error. */
  isAnswered(): boolean;
  /** Gives it a message in its running turn, where it says that it takes some. */
  tell(text: string): Promise<Receipt>;
  /** Settles when the agent has stopped its work. */
  cancel(): Promise<void>;
  hangUp(): void;
}

const offeredShown = 10;
/** Long for an agent that only has to keep a message, and shorter than the person who sends it waits. */
const tellMs = 15_000;

export function converse(stream: Stream, topics: Topics, halt: (why: OwnHalt) => void): Conversation {
  const { title, cwd, access } = topics;
  const notes: string[] = [];
  const files = agentFiles([cwd, ...topics.outside], access);
  let session: string | null = null;
  let isAnswered = false;
  /** The agent takes messages in a running turn: an extension of the protocol that several agents share. */
  let isSteerable = false;
  /** The answer to the prompt, once the prompt is sent. */
  let answer: Promise<unknown> | null = null;

  const connection = client({ name: "pawl" })
    .onRequest("session/request_permission", ({ params }) => {
      const { outcome, question } = answerPermission(params, access, topics.permissions, topics.commands);
      if (question !== null) halt({ kind: "permission", request: question });
      return { outcome };
    })
    .onRequest("fs/read_text_file", async ({ params }) => ({
      content: await files.read(params.path, params.line ?? null, params.limit ?? null),
    }))
    .onRequest("fs/write_text_file", async ({ params }) => {
      await files.write(params.path, params.content);
      return {};
    })
    .connect(stream);

  async function ask(method: string, params: object): Promise<Fields> {
    const { startMs } = topics;
    const timer = setTimeout(
      () => halt({ kind: "unanswered", method, command: topics.command, waitedMs: startMs }),
      Math.min(startMs, longestTimerMs),
    );
    try {
      return fieldsOf(await connection.agent.request<unknown, object>(method, params));
    } finally {
      clearTimeout(timer);
    }
  }

  async function talk(): Promise<void> {
    const agent = await ask("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
      clientInfo: { name: "pawl", title: "Pawl", version: "1" },
    });
    if (agent["protocolVersion"] !== PROTOCOL_VERSION)
      throw unfit(`${title} does not speak version ${PROTOCOL_VERSION} of ACP`, "install a newer version of it");
    isSteerable = fieldsOf(fieldsOf(agent["_meta"])["steering"])["supported"] === true;
    const opened = await openSession(fieldsOf(agent["agentCapabilities"]));
    await chooseAll(opened.id, opened.session);
    session = opened.id;
    answer = connection.agent.request<unknown, object>("session/prompt", {
      sessionId: session,
      prompt: [{ type: "text", text: topics.prompt }],
    });
    await answer;
    isAnswered = true;
  }

  async function openSession(can: Fields): Promise<{ readonly id: string; readonly session: Fields }> {
    const offers = fieldsOf(can["sessionCapabilities"]);
    const isExtensible = typeof offers["additionalDirectories"] === "object" && topics.directories.length > 0;
    const settings = {
      cwd,
      mcpServers: serversFor(fieldsOf(can["mcpCapabilities"])),
      ...(isExtensible ? { additionalDirectories: topics.directories } : {}),
    };
    const resumed = await reopen(can, offers, settings);
    if (resumed !== null) return resumed;
    const opened = await ask("session/new", settings);
    const id = nameOf(opened["sessionId"]);
    if (id === null) throw unfit(`${title} opened a session without an id`, "`pawl logs` shows all that it printed");
    return { id, session: opened };
  }

  /** Prefers to resume without the history: Pawl would only skip the repeated messages. */
  async function reopen(can: Fields, offers: Fields, settings: object) {
    const id = topics.resume;
    if (id === null) return null;
    const methods = [
      ...(typeof offers["resume"] === "object" && offers["resume"] !== null ? ["session/resume"] : []),
      ...(can["loadSession"] === true ? ["session/load"] : []),
    ];
    for (const method of isSafeId(id) ? methods : []) {
      const reopened = await ask(method, { sessionId: id, ...settings }).catch((error: unknown) => {
        if (error instanceof RequestError) return null;
        throw error;
      });
      if (reopened === null) continue;
      return { id, session: reopened };
    }
    notes.push(`${title} cannot resume that session, so it started a new one`);
    return null;
  }

  function serversFor(can: Fields): readonly object[] {
    const { mcp } = topics;
    if (mcp === null) return [];
    if (can["http"] !== true) {
      notes.push(`${title} cannot reach Pawl's tools: it does not support MCP over HTTP`);
      return [];
    }
    const headers = [{ name: "Authorization", value: `Bearer ${mcp.token}` }];
    return [{ type: "http", name: mcpName, url: mcp.url, headers }];
  }

  /** In this order, because the efforts depend on the model. */
  async function chooseAll(id: string, opened: Fields): Promise<void> {
    let offered = opened;
    const wishes: readonly (readonly [Topic, string | null])[] = [
      ["mode", topics.mode],
      ["model", topics.model],
      ["effort", topics.effort],
    ];
    for (const [topic, wanted] of wishes) if (wanted !== null) offered = await choose(topic, wanted, id, offered);
  }

  async function choose(topic: Topic, wanted: string, sessionId: string, offered: Fields): Promise<Fields> {
    const choice = choiceOf(topic, wanted, offered);
    if (choice.kind === "request")
      return { ...offered, ...(await ask(choice.method, { sessionId, ...choice.params })) };
    if (choice.kind === "chosen") return offered;
    const all = choice.kind === "unknown" ? choice.offered.slice(0, offeredShown).join(", ") : "";
    // With `read` access the agent must be in a mode that asks. A missing model is an error: another model would do other work.
    if (topic === "mode" && access === "read")
      throw unfit(`${title} has no mode "${wanted}" and could not be kept from writing`, "choose another executor");
    if (topic === "model" && choice.kind === "unknown")
      throw unfit(`${title} has no model "${wanted}"`, `it offers: ${all || "none"}`);
    notes.push(`${title} has no ${topic} to choose "${wanted}" from: it was left out`);
    return offered;
  }

  async function tell(text: string): Promise<Receipt> {
    if (session === null || answer === null) return { taken: false, why: `the turn of ${title} has not begun yet` };
    if (isAnswered) return { taken: false, why: `the turn of ${title} is over` };
    if (!isSteerable) return { taken: false, why: `${title} takes no messages while it works` };
    const request = connection.agent.request<unknown, object>("_session/steering", {
      sessionId: session,
      prompt: [{ type: "text", text }],
      // Without this it would begin a turn of its own if this one has just ended.
      _meta: { steering: { idleBehavior: "promptRequired" } },
    });
    const late = AbortSignal.timeout(tellMs);
    const waited = new Promise<Receipt>((resolve) => {
      const why = `${title} did not say within ${tellMs / 1000} s that it has the message`;
      late.addEventListener("abort", () => resolve({ taken: false, why }));
    });
    return await Promise.race([request.then(toldBy, refusedBy), waited]);
  }

  function toldBy(result: unknown): Receipt {
    if (fieldsOf(result)["outcome"] === "injected") return { taken: true };
    return { taken: false, why: `the turn of ${title} is over` };
  }

  function refusedBy(error: unknown): Receipt {
    const why =
      error instanceof RequestError ? `${title} refused it: ${error.message}` : `the turn of ${title} is over`;
    return { taken: false, why };
  }

  async function toTheEnd(): Promise<void> {
    try {
      await talk();
    } catch (error) {
      // An error that the agent answered is in the reading; a broken connection is followed by the end of the process.
      if (error instanceof Unfit) halt({ kind: "unfit", message: error.message });
    }
  }

  return {
    over: toTheEnd(),
    notes,
    isAnswered: () => isAnswered,
    tell,
    async cancel() {
      if (session === null || answer === null || isAnswered) return;
      await connection.agent.notify("session/cancel", { sessionId: session });
      await answer.catch(() => undefined);
    },
    hangUp: () => connection.close(),
  };
}

class Unfit extends Error {}

function unfit(what: string, hint: string): Unfit {
  return new Unfit(`${what} (${hint})`);
}
