// The console. Owns: data on stdout, messages for people on stderr, and colour only on a terminal, never as the only sign.

import type { PrintedDocument } from "../../contracts/contracts.ts";
import { AppError, errorText, exitCodes, systemCode } from "../../domain/error.ts";
import { environmentSecrets, type Secrets } from "../../system/secrets/secrets.ts";
import { cellsOf } from "../../transcript/cells.ts";
import type { LineTone, ShownLine } from "../../transcript/rendering.ts";
import { cleanOutput, guardStream, ownEscape } from "./clean-output.ts";
import { whenUsed, writeAtOnce } from "./late-stream.ts";

export class Console {
  readonly json: boolean;
  exitCode: number = exitCodes.done;
  #isTerminal: boolean | null = null;
  #secrets: Secrets | null = null;
  /** For a screen that must be drawn again. */
  #lastSaid: readonly string[] = [];
  /** How many live lines are below what was said. */
  #live = 0;
  /** Passes the guard of stdout; null while that has no stream. */
  #raw: ((bytes: Uint8Array) => void) | null = null;

  constructor(json: boolean) {
    this.json = json;
  }

  /** People watch it, and its lines can be drawn again. */
  get isTerminal(): boolean {
    this.#isTerminal ??= process.stderr.isTTY && process.env["TERM"] !== "dumb";
    return this.#isTerminal;
  }

  /** A run continues when nobody can read its output; its progress can be read later. */
  isDriving = false;

  /** From now on nothing that is printed contains a control character. The call that is returned ends that. */
  guard(): () => void {
    const guards: { remove(): void }[] = [];
    const meet = (stream: NodeJS.WriteStream) => {
      const guard = guardStream(stream);
      guards.push(guard);
      return guard;
    };
    whenUsed("stdout", (stream) => {
      stream.on("error", (error) => this.#lose(error));
      this.#raw = meet(stream).raw;
    });
    whenUsed("stderr", (stream) => {
      stream.on("error", (error) => isLeft(error) && this.#lose(error));
      meet(stream);
    });
    return () => {
      for (const guard of guards) guard.remove();
    };
  }

  /** What was printed did not arrive. */
  #lose(error: unknown): void {
    if (this.isDriving) return;
    process.exit(isLeft(error) ? this.exitCode : this.fail(cannotPrint(error)));
  }

  /** Bytes as they are, for a person who asks for them. */
  raw(bytes: Uint8Array): void {
    // The stream may be made here, and its guard with it.
    const { stdout } = process;
    if (this.#raw === null) stdout.write(bytes);
    else this.#raw(bytes);
  }

  /** Replaces the live lines of the terminal by these, in one write, so that it does not flicker. What is said goes above them. */
  redraw(lines: readonly string[]): void {
    if (this.#live === 0 && lines.length === 0) return;
    // The terminal itself may have written `^C` below them.
    const up = this.#live > 0 ? ownEscape(`[${this.#live}A`) + ownEscape("[G") : "";
    const text = lines.map((line) => `${line}${ownEscape("[K")}\n`).join("");
    process.stderr.write(`${up}${this.#hides.redact(text)}${ownEscape("[J")}`);
    this.#live = lines.length;
  }

  /** The whole screen again, for a terminal whose size changed: it may have wrapped any line. What was said last is above the lines. */
  repaint(columns: number, rows: number, lines: readonly string[]): void {
    let room = rows - lines.length - 1;
    const from = this.#lastSaid.findLastIndex((line) => {
      room -= Math.max(1, Math.ceil(cellsOf(cleanOutput(line)) / columns));
      return room < 0;
    });
    process.stderr.write(ownEscape("[2J") + ownEscape("[H"));
    for (const line of this.#lastSaid.slice(from + 1)) process.stderr.write(`${line}\n`);
    this.#live = 0;
    this.redraw(lines);
  }

  /** Data. */
  print(text: string): void {
    this.write(`${text}\n`);
  }

  /** Data without a line end. */
  write(text: string): void {
    // Once others write to the stream, the order is kept only there. A driver does not wait for a reader.
    if (this.#raw === null && !this.isDriving) this.#writeAtOnce(cleanOutput(text));
    else process.stdout.write(text);
  }

  #writeAtOnce(text: string): void {
    try {
      const rest = writeAtOnce(text);
      if (rest.length > 0) this.raw(rest);
    } catch (error) {
      this.#lose(error);
    }
  }

  document(value: PrintedDocument): void {
    this.#printJson(value);
  }

  /** The same in one line, for a reader that must not wait for the end of the output. */
  line(value: PrintedDocument): void {
    this.print(JSON.stringify(value));
  }

  /** What describes documents is none itself. */
  jsonSchema(value: Readonly<Record<string, unknown>>): void {
    this.#printJson(value);
  }

  #printJson(value: object): void {
    this.print(JSON.stringify(value, null, 2));
  }

  /** For people. A driver in the background writes it to a file, so a secret that an error quotes is redacted. */
  say(text: string): void {
    this.redraw([]);
    const shown = this.#hides.redact(text);
    process.stderr.write(`${shown}\n`);
    if (this.isTerminal) this.#lastSaid = [...this.#lastSaid, ...shown.split("\n")].slice(-mostRemembered);
  }

  get #hides(): Secrets {
    this.#secrets ??= environmentSecrets(process.env);
    return this.#secrets;
  }

  note(text: string): void {
    this.say(`${this.paint("yellow", "note:")} ${text}`);
  }

  paint(colour: Colour, text: string): string {
    const hasColour = this.isTerminal && (process.env["NO_COLOR"] ?? "") === "";
    return hasColour ? `${ownEscape(`[${colours[colour]}m`)}${text}${ownEscape("[0m")}` : text;
  }

  /** A line of a transcript, in the colour of its tone. */
  tone({ text, tone }: ShownLine): string {
    const colour = tones[tone];
    return colour === null ? text : this.paint(colour, text);
  }

  /** Says what happened and what to do next; returns the exit code. */
  fail(thrown: unknown): number {
    const error = filesGone(thrown) ?? thrown;
    if (!(error instanceof AppError)) return this.#crash(error);
    this.say(`${this.paint("red", `error[${error.code}]:`)} ${error.message}`);
    for (const detail of error.details) this.say(`  ${detail.replaceAll("\n", "\n  ")}`);
    this.say(`hint: ${error.hint}`);
    if (this.json && error.code !== "OUTPUT_FAILED") {
      const { code, message, hint, details } = error;
      this.document({ error: this.#hides.redactAll({ code, message, hint, details }) });
    }
    return error.exitCode;
  }

  /** A defect of Pawl: only here a stack is useful. */
  #crash(error: unknown): number {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.say(`${this.paint("red", "error[DEFECT]:")} ${detail}`);
    this.say(
      "hint: this is a defect of Pawl, not of your input; what was committed is safe. Please report the lines above",
    );
    return exitCodes.failed;
  }
}

/** A long command loads late what it needs late, and an upgrade may have taken that away; null: something else is wrong. */
function filesGone(error: unknown): AppError | null {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return null;
  const isOwn = "url" in error && String(error.url).startsWith(new URL(".", import.meta.url).href);
  if (!isOwn) return null;
  return new AppError(
    "FILES_GONE",
    "the files of this command are gone: Pawl was upgraded or removed since it started",
    {
      hint: "nothing that was committed is lost; call it again, and continue a run that it drove with `pawl resume`",
      cause: error,
    },
  );
}

/** `pawl events | head` closes the pipe early; that is not an error. EIO: the terminal is closed. */
function isLeft(error: unknown): boolean {
  return ["EPIPE", "EIO"].includes(systemCode(error) ?? "");
}

function cannotPrint(error: unknown): AppError {
  return new AppError("OUTPUT_FAILED", `what this command prints could not be written: ${errorText(error)}`, {
    hint: "make room where its output goes, and call it again: nothing else of it failed",
    cause: error,
  });
}

/** More than a terminal has rows. */
const mostRemembered = 200;

type Colour = keyof typeof colours;
const tones: Readonly<Record<LineTone, Colour | null>> = {
  plain: null,
  dim: "dim",
  strong: "bold",
  good: "green",
  bad: "red",
  warning: "yellow",
  added: "green",
  removed: "red",
};
const colours = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 } as const;
