// Reads an agent's settings: JSON that may contain comments.

import { readFileSync } from "node:fs";
import { fieldsOf } from "../stream/fields.ts";

export type AgentSettings = Readonly<Record<string, unknown>>;

/** Empty if there is no such file. */
export function settingsIn(file: string): AgentSettings {
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
