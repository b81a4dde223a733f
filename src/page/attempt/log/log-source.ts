// Where the lines of a log come from: rendered by the service, or as they were printed. Owns: reading a part from any byte as lines.

import type { LogPage, TranscriptPage } from "../../../contracts/http-documents.ts";
import { get } from "../../api/calls.ts";
import type { LogPart } from "./kept-lines.ts";
import type { LogLine } from "./log-line.ts";
import { plainState, readSgr, type SgrState } from "./sgr.ts";

export interface ReadPart extends LogPart {
  readonly size: number;
  /** When `next` is `size`, nothing more comes. */
  readonly ended: boolean;
  readonly hasLog: boolean;
  /** The message that is being written. */
  readonly saying: readonly LogLine[];
}

export interface LogSource {
  last(signal: AbortSignal): Promise<ReadPart>;
  after(byte: number, signal: AbortSignal): Promise<ReadPart>;
  before(byte: number, signal: AbortSignal): Promise<ReadPart>;
}

const end = Number.MAX_SAFE_INTEGER;

export function transcriptSource(attempt: string): LogSource {
  const path = `/attempts/${encodeURIComponent(attempt)}/transcript`;
  const read = async (query: string, signal: AbortSignal): Promise<ReadPart> => {
    const page = await get<TranscriptPage>(`${path}?${query}`, signal);
    const saying = page.saying === "" ? [] : page.saying.split("\n").map(sayingLine);
    return { ...page, saying };
  };
  return {
    last: async (signal) => await read(`before=${end}`, signal),
    after: async (byte, signal) => await read(`from=${byte}`, signal),
    before: async (byte, signal) => await read(`before=${byte}`, signal),
  };
}

function sayingLine(text: string): LogLine {
  return { kind: "text", tone: "plain", text };
}

const pageBytes = 256 * 1024;
const encoder = new TextEncoder();

/** Colours hold from one part to the next; an older part begins without one. */
export function rawSource(attempt: string): LogSource {
  const path = `/attempts/${encodeURIComponent(attempt)}/log`;
  let state: SgrState = plainState;
  const page = async (from: number, signal: AbortSignal) => await get<LogPage>(`${path}?from=${from}`, signal);
  const after = async (byte: number, signal: AbortSignal): Promise<ReadPart> => {
    const found = await page(byte, signal);
    const isLast = found.ended && found.next >= found.size;
    const { text, bytes } = isLast ? { text: found.text, bytes: found.next - byte } : wholeLines(found, byte);
    const read = linesOf(text, state);
    state = read.state;
    return { ...found, from: byte, next: byte + bytes, hasLog: found.size > 0, lines: read.lines, saying: [] };
  };
  const before = async (byte: number, signal: AbortSignal): Promise<ReadPart> => {
    const about = Math.max(0, byte - pageBytes);
    const found = await page(about, signal);
    const skipped = about === 0 ? "" : found.text.slice(0, found.text.indexOf("\n") + 1);
    const from = about + encoder.encode(skipped).length;
    const { lines } = linesOf(found.text.slice(skipped.length), plainState);
    return { ...found, from, next: byte, hasLog: true, lines, saying: [] };
  };
  return {
    after,
    before,
    last: async (signal) => {
      const { size } = await page(end, signal);
      return await after(size <= pageBytes ? 0 : (await before(size, signal)).from, signal);
    },
  };
}

/** Without the line at the end that is not complete, unless it fills the page. */
function wholeLines({ text, next }: LogPage, from: number): { readonly text: string; readonly bytes: number } {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole === "" && next - from >= pageBytes / 2) return { text, bytes: next - from };
  return { text: whole, bytes: next - from - encoder.encode(text.slice(whole.length)).length };
}

function linesOf(text: string, before: SgrState): { readonly lines: readonly LogLine[]; readonly state: SgrState } {
  if (text === "") return { lines: [], state: before };
  let state = before;
  const lines = text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((each): LogLine => {
      const { spans, state: next } = readSgr(each, state);
      state = next;
      return { kind: "line", tone: "plain", text: spans.map((span) => span.text).join(""), spans };
    });
  return { lines, state };
}
