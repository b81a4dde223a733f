// Gemini CLI. Owns: how it is called. Turn limit and tools are settings of its home alone: where they are needed, a call has a home
// of its own that leads to the user's for everything else.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type AgentProfile, type AgentTask, bearer, flags, mcpName } from "../agent-profile.ts";
import { fieldsOf } from "../fields.ts";
import { geminiReader } from "./reader.ts";

const settingsFile = "settings.json";

export const gemini: AgentProfile = {
  kind: "gemini",
  title: "Gemini CLI",
  newReader: geminiReader,
  oldest: "0.11.0",
  install: "npm install --global @google/gemini-cli",
  login: "run `gemini` and log in, or set GEMINI_API_KEY",
  keys: [
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_APPLICATION_CREDENTIALS",
  ],
  keeps: { turns: true, money: false },
  prepare: (task) => ({
    args: [
      "--output-format",
      "stream-json",
      // Without approval it has no tools that write or run anything.
      "--approval-mode",
      task.access === "write" ? "yolo" : "default",
      ...flags({ "--model": task.model, "--resume": task.resume }),
      ...task.outside.flatMap((dir) => ["--include-directories", dir]),
      ...task.args,
    ],
    env: {
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      ...(task.mcp === null && task.maxTurns === null ? {} : { GEMINI_CLI_HOME: homeFor(task) }),
    },
  }),
};

function homeFor(task: AgentTask): string {
  const theirs = join(task.env["GEMINI_CLI_HOME"] ?? task.env["HOME"] ?? homedir(), ".gemini");
  const home = task.scratch();
  const own = join(home, ".gemini");
  mkdirSync(own, { mode: 0o700 });
  for (const name of namesIn(theirs)) if (name !== settingsFile) symlinkSync(join(theirs, name), join(own, name));
  const written = settingsIn(join(theirs, settingsFile));
  writeFileSync(join(own, settingsFile), JSON.stringify(settings(written, task)), { mode: 0o600 });
  return home;
}

function settings(written: Readonly<Record<string, unknown>>, { maxTurns, mcp }: AgentTask): object {
  const server = mcp && { httpUrl: mcp.url, headers: bearer(mcp), trust: true };
  return {
    ...written,
    ...(maxTurns !== null && { model: { ...fieldsOf(written["model"]), maxSessionTurns: maxTurns } }),
    ...(server && { mcpServers: { ...fieldsOf(written["mcpServers"]), [mcpName]: server } }),
  };
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // never used before
  }
}

/** The user may have written comments into it. */
function settingsIn(file: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return {};
  }
  const plain = text.replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, "$1");
  try {
    return fieldsOf(JSON.parse(plain));
  } catch (error) {
    throw new Error(`${file} is not JSON`, { cause: error });
  }
}
