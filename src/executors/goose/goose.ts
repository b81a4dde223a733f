// Goose: how it is called.

import { join } from "node:path";
import { type AgentProfile, flags, homeOf } from "../agent/agent-profile.ts";
import { bridgeTo } from "./bridge.ts";
import { gooseAgent } from "./descriptor.ts";
import { gooseReader } from "./reader.ts";

export const goose: AgentProfile = {
  ...gooseAgent,
  newReader: gooseReader,
  install: "install Goose (https://github.com/block/goose)",
  login: "run `goose configure`, or set GOOSE_PROVIDER and the key of that provider",
  keys: [
    "GOOSE_PROVIDER",
    "GOOSE_MODEL",
    "GOOSE_DISABLE_KEYRING",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_HOST",
    "OPENAI_BASE_URL",
    "OPENROUTER_API_KEY",
    "GOOGLE_API_KEY",
  ],
  keeps: { turns: true, money: false },
  system: "argument",
  sessions: null,
  places(env) {
    const below = (variable: string, usual: string) => join(env[variable] ?? join(homeOf(env), usual), "goose");
    return { written: [below("XDG_DATA_HOME", ".local/share"), below("XDG_STATE_HOME", ".local/state")], kept: [] };
  },
  prepare: ({ model, maxTurns, mcp, args, system, scratch }) => ({
    args: [
      "run",
      "--instructions",
      "-",
      "--no-session",
      "--no-profile",
      "--with-builtin",
      "developer",
      "--output-format",
      "stream-json",
      ...flags({
        "--max-turns": maxTurns,
        "--with-extension": mcp && bridgeTo(mcp, scratch()).map(quoted).join(" "),
      }),
      // As one word, because the text may begin with a dash.
      ...(system === null ? [] : [`--system=${system}`]),
      ...args,
    ],
    env: { GOOSE_MODE: "auto", ...(model === null ? {} : { GOOSE_MODEL: model }) },
  }),
  acpServer: { args: ["acp", "--with-builtin", "developer"], asks: false, env: () => ({ GOOSE_MODE: "auto" }) },
};

/** Goose splits the command at blanks. Its older versions know no quotes, so there are none where none are needed. */
function quoted(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}
