// A stub agent with a scripted model, as a program: `DIRECTORY VOICE ARGUMENT…`. It has the loop of every agent: ask the model, do
// what it asks for, return the result. The model's moves are real: commands, files, calls of Pawl's tools.

import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Conversation, OfferedTool, ScriptedModel, Turn } from "../agents/model/conversation.ts";
import { featureDev } from "../agents/model/feature-dev.ts";
import { inOrder } from "../agents/model/scripts.ts";
import { callFor } from "../agents/model/tools.ts";
import { acpVoice } from "./acp-voice.ts";
import { type Part, type Played, partFile, playedFile, type VoiceName } from "./agent-part.ts";
import type { Address, Call, Doing, Heard, Result, Voice } from "./agent-voice.ts";
import { claudeVoice, codexVoice, opencodeVoice } from "./cli-voices.ts";

const denied = "denied by policy: it may not do that here";

const voices: Readonly<Record<VoiceName, (args: readonly string[]) => Voice>> = {
  claude: claudeVoice,
  codex: codexVoice,
  opencode: opencodeVoice,
  acp: acpVoice,
};

async function play(dir: string, name: VoiceName, args: readonly string[]): Promise<void> {
  const voice = voices[name](args);
  const part = JSON.parse(readFileSync(join(dir, partFile), "utf8")) as Part;
  const heard = await voice.hear();
  forgetSomething();
  const note = (played: Omit<Played, "told">) =>
    appendFileSync(
      join(dir, playedFile),
      `${JSON.stringify({ ...played, told: `${heard.system}\n${heard.prompt}` })}\n`,
    );
  if (Number(process.env["PAWL_ATTEMPT"]) <= (part.rateLimits ?? 0)) {
    note({ answers: 0, moves: [] });
    voice.isRateLimited();
    process.exitCode = 1;
    return;
  }
  note(await converse(voice, part.moves ? inOrder(...part.moves) : featureDev, heard));
}

async function converse(
  voice: Voice,
  model: ScriptedModel,
  { system, prompt, mcp }: Heard,
): Promise<Omit<Played, "told">> {
  const turns: Turn[] = [{ by: "user", text: prompt }];
  const tools = [...voice.tools, ...(mcp ? await oursAt(mcp, voice) : [])];
  const moves: Doing["does"][] = [];
  for (let answers = 1; ; answers += 1) {
    const conversation: Conversation = { system, turns, tools };
    const doing = model(conversation);
    if (doing.does === "refuse") throw new Error("this model does not refuse");
    if (doing.does === "say") {
      voice.says(doing.text);
      voice.leaves(answers);
      return { answers, moves };
    }
    const call: Call = { id: `call-${answers}`, doing, ...callFor(doing, conversation) };
    moves.push(doing.does);
    const result = (await voice.begins(call)) ? await perform(call, mcp) : { isAllowed: false, text: denied };
    voice.ends(call, result);
    turns.push({ by: "call", tool: call.tool.name }, { by: "tool", text: result.text });
  }
}

async function perform({ doing }: Call, mcp: Address | null): Promise<Result> {
  switch (doing.does) {
    case "shell":
      return { isAllowed: true, text: await shell(doing.command) };
    case "write":
      mkdirSync(dirname(doing.path), { recursive: true });
      writeFileSync(doing.path, doing.content);
      return { isAllowed: true, text: "Wrote the file." };
    case "complete": {
      const { content } = await ask(mcp, "tools/call", { name: "complete", arguments: doing.given });
      return { isAllowed: true, text: (content as { text: string }[]).map(({ text }) => text).join("") };
    }
    case "search":
      throw new Error("all tools are offered: there is nothing to search for");
  }
}

/** Agents start helper processes, and not all of them stop what they started. */
function forgetSomething(): void {
  spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref();
}

/** In its own session, as real agents run their commands: a signal to the agent's process group does not reach it. */
async function shell(command: string): Promise<string> {
  const child = spawn("/bin/sh", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return code === 0 ? printed : `${printed}\nexit code ${code}`;
}

async function oursAt(mcp: Address, voice: Voice): Promise<readonly OfferedTool[]> {
  const clientInfo = { name: "playing", version: "1" };
  await ask(mcp, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  const { tools } = await ask(mcp, "tools/list", {});
  return (tools as readonly { name: string }[]).map(({ name }) => voice.ours(name));
}

async function ask(mcp: Address | null, method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
  if (mcp === null) throw new Error("no address was given for the tools");
  const response = await fetch(mcp.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...mcp.headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: Readonly<Record<string, unknown>>; error?: object };
  if (result === undefined) throw new Error(`${method}: ${response.status} ${JSON.stringify(error)}`);
  return result;
}

const [dir = "", name = "", ...args] = process.argv.slice(2);
await play(dir, name as VoiceName, args);
