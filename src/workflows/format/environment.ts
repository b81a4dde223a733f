// Variables for agents. Owns: `workspace.env` as it is written: which names and which placeholders may stand there.

import { foreignIn } from "../check/templates.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";

/** What a value may name: facts of ours, and nothing that an agent or a person wrote. */
const known = ["slot", "story", "run"];

/** Which program runs, what is loaded into it, where it finds what it obeys. */
const leading = ["PATH", "HOME", "SHELL", "TMPDIR", "ENV", "BASH_ENV", "PYTHONSTARTUP", "NODE_OPTIONS", "NODE_PATH"];
const leadingFamilies = ["LD_", "DYLD_", "BUN_", "OPENSSL_", "XDG_", "GIT_", "SSH_"];

/** Whom it believes. */
const certificates = [
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "NODE_EXTRA_CA_CERTS",
  "NODE_TLS_REJECT_UNAUTHORIZED",
];

/** Variables that Pawl, or Pawl's caller, sets for agents. */
const ours = ["IS_SANDBOX", "DISABLE_AUTOUPDATER"];

/** Keys, addresses and homes of agents and of model providers; as families, since agents learn new names. */
const agents = ["ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_", "OPENCODE_", "GEMINI_", "QWEN_", "COPILOT_", "GOOSE_"];
const providers = ["GOOGLE_", "DASHSCOPE_", "OPENROUTER_", "GITHUB_", "GH_", "AZURE_", "AWS_"];

const reserved = new Set([...leading, ...certificates, ...ours]);
const reservedFamilies = [...leadingFamilies, ...agents, ...providers];

/** With such a variable, the author of the file could get the user's keys, since agents are started with both. */
function isReserved(name: string): boolean {
  // Where a protocol has its files is said by NAME_SHARED_DIR.
  const isNamed = reserved.has(name) || /_proxy$/i.test(name) || name.endsWith("_SHARED_DIR");
  return isNamed || reservedFamilies.some((family) => name.startsWith(family));
}

/** Why a variable cannot have this name; null: it can. */
export function wrongName(name: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return `"${name}" is not the name of a variable`;
  if (/^PAWL_/i.test(name)) return `${name}: variables that begin with PAWL_ are set by Pawl itself`;
  if (isReserved(name))
    return `${name}: it decides which programs run, what they obey or where keys go; only the caller of \`pawl\` may set it`;
  return null;
}

/** Why a variable cannot be set like this; null: it can. */
export function wrongVariable(name: string, value: string): string | null {
  const wrong = wrongName(name);
  if (wrong !== null) return wrong;
  if (value.includes("\0")) return `${name}: a value cannot contain a null character`;
  const foreign = foreignIn(value, known);
  return foreign ? `${name}: ${foreign} is not known here; ${known.map((key) => `{{${key}}}`).join(", ")} are` : null;
}

export function readEnvironment(
  reading: Reading,
  written: Readonly<Record<string, string | number | boolean>>,
  path: Path,
): Readonly<Record<string, string>> {
  const entries = Object.entries(written).map(([name, value]) => [name, String(value)] as const);
  for (const [name, value] of entries) {
    const wrong = wrongVariable(name, value);
    if (wrong === null) continue;
    refuse(reading, [...path, name], {
      message: `\`${path.join(".")}\`: ${wrong}`,
      expected: "a map from names of variables to texts",
      hint: 'for example `COMPOSE_PROJECT_NAME: "agent_{{slot}}"`',
    });
  }
  return Object.fromEntries(entries);
}
