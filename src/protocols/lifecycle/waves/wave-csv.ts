// The files of a wave: `wave-N.csv` with a row per skill call, and `wave-N-results.csv` with what became of each.

import { type CsvRead, csvText, type Row, readCsv } from "./csv.ts";
import { calledBy, workerCall } from "./skill-call.ts";

export interface WaveRow {
  /** The 1-based position of the step in its session. */
  readonly position: number;
  /** The call of the skill. */
  readonly call: string;
  readonly topic: string;
}

export interface WaveResult {
  readonly status: "completed" | "failed";
  readonly call: string;
  readonly summary: string;
  readonly artifacts: string;
  readonly error: string;
}

const resultFields = ["status", "skill_call", "summary", "artifacts", "error"] as const;

/** What a spawner asks of each result: all are strings. */
export const resultSchema = {
  type: "object",
  properties: {
    status: { type: "string", enum: ["completed", "failed"] },
    skill_call: { type: "string" },
    summary: { type: "string" },
    artifacts: { type: "string" },
    error: { type: "string" },
  },
  required: resultFields,
} as const;

const waveFields = ["id", "skill_call", "topic"] as const;

export function waveText(rows: readonly WaveRow[]): string {
  return csvText([waveFields, ...rows.map(({ position, call, topic }) => [String(position), workerCall(call), topic])]);
}

/** The rows of `wave-N.csv`, by their positions. What is no such row is left out. */
export function readWave(text: string): ReadonlyMap<number, WaveRow> {
  const read = readCsv(text);
  const [head, ...rows] = read.kind === "rows" ? read.rows : [];
  if (head?.fields[0] !== waveFields[0]) return new Map();
  return new Map(
    rows.flatMap(({ fields: [id, skillCall = "", topic = ""] }) => {
      const position = Number(id);
      const call = calledBy(skillCall);
      const isRow = call !== null && Number.isSafeInteger(position) && position > 0;
      return isRow ? [[position, { position, call, topic }] as const] : [];
    }),
  );
}

/** One row for each result, by its position. */
export function resultsText(results: readonly (readonly [number, WaveResult])[]): string {
  return csvText([
    ["id", ...resultFields],
    ...results.map(([position, { status, call, summary, artifacts, error }]) => {
      const words = [summary, artifacts, error].map(plainText);
      return [String(position), status, workerCall(call), ...words];
    }),
  ]);
}

/** A spreadsheet computes a field that begins like this. Calls begin with `$`, and are never changed. */
function plainText(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** The result of one row. What is missing, doubled or odd counts as failed, in words. */
export function readResult(text: string, { position, call }: Pick<WaveRow, "position" | "call">): WaveResult {
  const failed = (error: string): WaveResult => ({ status: "failed", call, summary: "", artifacts: "", error });
  const read = readCsv(text);
  if (read.kind === "unreadable") return failed(`the results cannot be read: ${read.why}`);
  const table = tableOf(read);
  if (table === null) return failed("the results have no head with a status");
  const own = table.rows.filter((row) => isOf(row, position, call));
  const others = table.rows.length - own.length;
  if (own.length === 0)
    return failed(`the results have no row for ${position}${others === 0 ? "" : `, but ${others} for others`}`);
  if (own.length > 1) return failed(`the results have ${own.length} rows for ${position}`);
  return resultOf(own[0] ?? {}, call);
}

/** Whether the results say something about one row: they have it, or as many rows as the wave. Until then more may come. */
export function hasResult(text: string, { position, call }: Pick<WaveRow, "position" | "call">, size: number): boolean {
  const read = readCsv(text);
  if (read.kind === "unreadable" || read.rows.length > size) return true;
  return tableOf(read)?.rows.some((row) => isOf(row, position, call)) ?? false;
}

export interface Table {
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** The rows by the names of their columns; null: there is no column `status`. */
export function tableOf(read: Extract<CsvRead, { kind: "rows" }>): Table | null {
  const [head, ...rows] = read.rows;
  const names = head?.fields.map((name) => name.trim().toLowerCase()) ?? [];
  if (!names.includes("status")) return null;
  return { rows: rows.map((row) => recordOf(names, row)) };
}

function recordOf(names: readonly string[], { fields }: Row): Readonly<Record<string, string>> {
  const record = Object.create(null) as Record<string, string>;
  for (const [index, name] of names.entries()) record[name] ??= fields[index] ?? "";
  return record;
}

/** A spawner that leaves out the ids repeats the calls. */
function isOf(row: Readonly<Record<string, string>>, position: number, call: string): boolean {
  const id = row["id"]?.trim();
  return id === undefined ? row["skill_call"]?.trim() === workerCall(call).trim() : id === String(position);
}

function resultOf(row: Readonly<Record<string, string>>, call: string): WaveResult {
  const reported = { ...row, ...reportIn(row["result_json"]) };
  const text = (name: string) => wordIn(reported[name]);
  const words = [row["status"] ?? "", text("status")].map((word) => word.trim().toLowerCase());
  const said = { call, summary: text("summary"), artifacts: text("artifacts") };
  const odd = words.find((word) => word !== "completed" && word !== "failed");
  const error = text("error") || (row["last_error"] ?? "").trim();
  if (odd !== undefined) return { ...said, status: "failed", error: error || `its status is ${JSON.stringify(odd)}` };
  const status = words.includes("failed") ? "failed" : "completed";
  return { ...said, status, error: status === "failed" && error === "" ? "it failed and does not say why" : error };
}

const longestText = 4_000;

function wordIn(value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1).toWellFormed()}…`;
}

/** Some spawners put what the agent reported into a column of its own, as JSON, beside columns about the job. */
function reportIn(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined || text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
