// Rendering. Owns: the lines of an entry, for a width, each with a tone. Tones are for colours and never the only sign; a caller that
// has none prints the texts alone. No line has a control character, and none is wider than the width.

import type { TokenUsage } from "../domain/agent-event.ts";
import { counted } from "../domain/counted.ts";
import { fit, wrap } from "./cells.ts";
import type { EditLine, FileEdit, LogEntry, ToolCall } from "./entry.ts";
import { money, tokensText } from "./money.ts";
import { plainText } from "./plain-text.ts";

export type LineTone = "plain" | "dim" | "strong" | "good" | "bad" | "warning" | "added" | "removed";

export interface ShownLine {
  readonly text: string;
  readonly tone: LineTone;
}

/** Of the output of a program: its beginning and its end say most. */
const [firstLines, lastLines] = [3, 8];
const longestText = 16 * 1024;

/** `width` in cells; Infinity: lines are as long as they are. */
export function linesOfEntry(entry: LogEntry, width: number): readonly ShownLine[] {
  const page = new Page(width);
  switch (entry.kind) {
    case "session":
      page.one("dim", `session ${[entry.model, entry.version].filter(Boolean).join(" ")}`);
      break;
    case "turn":
      page.one(
        "dim",
        [entry.number === null ? "── turn" : `── turn ${entry.number}`, ...amounts(entry.usage)].join(" · "),
      );
      break;
    case "text":
      page.text("plain", cut(entry.text));
      break;
    case "call":
      page.one("strong", `● ${nameOfCall(entry.call)}${countsOf(entry.call.changes)}`);
      for (const edit of entry.call.changes) addEdit(page, edit, entry.call.changes.length > 1);
      break;
    case "result":
      addResult(page, entry);
      break;
    case "denied":
      page.text("bad", `✗ denied: ${entry.tool || "a call"}${entry.message ? `: ${cut(entry.message)}` : ""}`);
      break;
    case "usage":
      break;
    case "trouble":
      page.text(entry.what === "error" ? "bad" : "warning", `! ${entry.what}: ${cut(entry.message)}`);
      break;
    case "end":
      if (entry.ok && entry.text !== "") page.text("plain", cut(entry.text));
      page.text(
        entry.ok ? "good" : "bad",
        [
          entry.ok ? "✓ ended" : `✗ failed: ${cut(entry.text) || "it does not say why"}`,
          ...(entry.turns === null ? [] : [counted(entry.turns, "turn")]),
          ...amounts(entry.usage),
        ].join(" · "),
      );
      break;
    case "line":
      page.text("plain", entry.text);
      if (entry.bytes !== null) page.one("dim", `… cut: the line has ${sizeText(entry.bytes)}`);
      break;
    case "note":
      page.text("warning", `[pawl] ${entry.text}`);
      break;
    case "other": {
      const names = entry.types.map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
      page.one("dim", entry.sample === null ? `· ${names}` : `· ${names} ${entry.sample.slice(0, 1_000)}`);
    }
  }
  return page.lines;
}

/** `Bash npm test`, `Edit src/a.ts`: what an agent does, on one line. */
export function nameOfCall({ tool, target }: ToolCall): string {
  return plainText([tool || "a tool", target].filter(Boolean).join(" ")).replaceAll("\n", " ");
}

/** `1.2k tokens`, `$0.02`: only what is known. */
function amounts(usage: TokenUsage | null): readonly string[] {
  if (usage === null) return [];
  const count = usage.inputTokens + usage.cacheReadTokens + usage.outputTokens;
  const cost = usage.costUsd === null ? [] : [money({ costUsd: usage.costUsd, estimatedUsd: null })];
  return count === 0 ? cost : [`${tokensText(count)} tokens`, ...cost];
}

class Page {
  readonly lines: ShownLine[] = [];
  readonly #width: number;

  constructor(width: number) {
    this.#width = Math.max(1, width);
  }

  /** One line, cut to the width. */
  one(tone: LineTone, text: string): void {
    const line = flat(text);
    this.lines.push({ tone, text: Number.isFinite(this.#width) ? fit(line, this.#width) : line });
  }

  /** All of its lines, wrapped. */
  text(tone: LineTone, text: string, indent = ""): void {
    for (const line of plainText(text).replace(/\n+$/, "").split("\n"))
      for (const piece of wrap(line.replaceAll("\t", "    "), this.#width - indent.length))
        this.lines.push({ tone, text: indent + piece });
  }
}

function addEdit(page: Page, { path, lines, added, removed }: FileEdit, isNamed: boolean): void {
  if (isNamed) page.one("dim", `    ${path}`);
  for (const { sign, text } of lines) page.one(tones[sign], `    ${sign} ${text}`);
  const shown = lines.filter(({ sign }) => sign !== " ").length;
  if (added + removed > shown) page.one("dim", `    … ${counted(added + removed - shown, "more line")}`);
}

const tones: Readonly<Record<EditLine["sign"], LineTone>> = { "+": "added", "-": "removed", " ": "dim" };

function addResult(page: Page, { call, isLate, ok, exitCode, text }: Extract<LogEntry, { kind: "result" }>): void {
  const about = isLate && call !== null ? `${nameOfCall(call)}: ` : "";
  const code = exitCode !== null && exitCode !== 0 ? `exit code ${exitCode}` : "";
  const isFine = ok && code === "";
  const lines = plainText(text).trimEnd().split("\n");
  const isEmpty = text.trim() === "";
  if (!isFine) page.one("bad", `  ✗ ${about}${code || "failed"}`);
  else if (call?.kind === "run" || call === null || call.kind === "other")
    page.one("good", `  ✓ ${about}${isEmpty ? "no output" : counted(lines.length, "line")}`);
  else if (call.kind === "read") page.one("good", `  ✓ ${about}${counted(isEmpty ? 0 : lines.length, "line")}`);
  else if (about !== "") page.one("good", `  ✓ ${about}done`);
  if (isEmpty || (isFine && (call?.kind === "read" || call?.kind === "change"))) return;
  for (const line of shownOf(lines)) page.one("dim", `    ${line}`);
}

function shownOf(lines: readonly string[]): readonly string[] {
  const left = lines.length - firstLines - lastLines;
  if (left <= 1) return lines;
  return [...lines.slice(0, firstLines), `… ${left} lines …`, ...lines.slice(-lastLines)];
}

function countsOf(changes: readonly FileEdit[]): string {
  const added = changes.reduce((sum, edit) => sum + edit.added, 0);
  const removed = changes.reduce((sum, edit) => sum + edit.removed, 0);
  return added + removed === 0 ? "" : ` (+${added} −${removed})`;
}

function cut(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= longestText) return trimmed;
  return `${trimmed.slice(0, longestText)}\n… cut: the text has ${sizeText(trimmed.length)}`;
}

function flat(text: string): string {
  return plainText(text)
    .replaceAll("\t", "    ")
    .replace(/\s*\n\s*/g, " ");
}

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
