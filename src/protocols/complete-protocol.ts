// Completes a protocol: members that it lacks get their defaults, and every error names the protocol.

import { AppError, errorText } from "../domain/error.ts";
import type { ProtocolFacts } from "../domain/protocol.ts";
import type { DecisionReader, DecisionWork, Protocol } from "./protocol.ts";

export interface CompleteProtocol extends Required<Protocol> {
  /** It can tell whether a report has arrived, so that another program may do the work. */
  readonly canAwait: boolean;
}

/** What each function does, for the message if it throws. */
const purposes = {
  storiesFor: "plan its stories",
  open: "open the project",
  begin: "prepare its files for the run",
  excludes: "name its files for git",
  ownFiles: "name its files in the checkout",
  values: "give values to the template",
  environment: "give variables to the agent",
  writable: "name the directories that the agent may write",
  prepare: "prepare its files for the attempt",
  collect: "collect what the attempt left",
  arrived: "look for the report of the attempt",
  settled: "clean up its files after the attempt",
  logFile: "name the log of the attempt",
  sharedTexts: "name the texts that agents share",
  diffFile: "name the file for the diff",
  project: "write the files that show the run",
} as const satisfies Partial<Record<keyof Protocol, string>>;

type Act = keyof typeof purposes;

const defaults: Omit<CompleteProtocol, "name"> = {
  templateKeys: [],
  notesKey: "",
  feedbackKey: "",
  takesEdits: false,
  needsStories: false,
  showsParts: false,
  formsWaves: false,
  stepIs: "name",
  stepWords: {},
  readers: {},
  hasFolder: false,
  checksDecide: false,
  canAwait: false,
  storiesFor: () => null,
  open: ({ file }) => {
    throw new AppError("USAGE", `this protocol cannot read ${file}`, { hint: "start a run with a task: pawl run" });
  },
  begin: () => undefined,
  excludes: () => [],
  ownFiles: () => [],
  values: () => ({}),
  environment: () => ({}),
  writable: () => [],
  prepare: () => undefined,
  collect: () => ({}),
  arrived: () => false,
  sharedTexts: () => [],
  reportFile: () => null,
  settled: () => undefined,
  logFile: () => null,
  diffFile: () => null,
  project: () => null,
};

/** A run without a protocol: the defaults alone. */
export const noProtocol: CompleteProtocol = { name: "", ...defaults };

export function withDefaults(protocol: Protocol): CompleteProtocol {
  const guarded = Object.fromEntries(
    Object.entries(purposes).map(([key, purpose]) => {
      const act = (protocol[key as Act] ?? defaults[key as Act]) as (...args: unknown[]) => unknown;
      return [key, guard(protocol, purpose, act)];
    }),
  );
  const readers = Object.fromEntries(
    Object.entries(protocol.readers ?? {}).map(([name, reader]) => [name, guardedReader(protocol, name, reader)]),
  );
  return { ...defaults, ...protocol, ...guarded, readers, canAwait: protocol.arrived !== undefined };
}

function guardedReader(protocol: Protocol, name: string, reader: DecisionReader): DecisionReader {
  const read = guard(protocol, `read the decision ${name}`, (work) => reader.read(work as DecisionWork));
  return { ...reader, read: read as DecisionReader["read"] };
}

/** Stands for a protocol that this Pawl does not have: every function throws. */
export function missingProtocol(name: string, known: readonly string[]): CompleteProtocol {
  const refuse = () => {
    throw unknownProtocol(name, known);
  };
  return { name, ...defaults, ...Object.fromEntries(Object.keys(purposes).map((key) => [key, refuse])) };
}

export function unknownProtocol(name: string, known: readonly string[]): AppError {
  return new AppError("PROTOCOL_MISSING", `there is no protocol "${name}"`, {
    hint: `this Pawl has: ${known.join(", ") || "none"}`,
  });
}

export function factsOf(protocol: CompleteProtocol): ProtocolFacts {
  const { name, templateKeys, takesEdits, needsStories, showsParts, formsWaves, canAwait, readers } = protocol;
  const read = Object.entries(readers).map(([reader, { values, plans = false }]) => ({ name: reader, values, plans }));
  return { name, templateKeys, takesEdits, needsStories, showsParts, formsWaves, canAwait, readers: read };
}

function guard(protocol: Protocol, purpose: string, act: (...args: unknown[]) => unknown) {
  const failed = (error: unknown) => failure(protocol.name, purpose, error);
  return (...args: unknown[]) => {
    try {
      const result = act.apply(protocol, args);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw failed(error);
      });
    } catch (error) {
      throw failed(error);
    }
  };
}

/** An AppError keeps its code and hint; any other error is a defect of the protocol. */
function failure(name: string, purpose: string, error: unknown): AppError {
  // An error in the project's files is meant for the person who named them and needs no prefix.
  if (error instanceof AppError && purpose === purposes.open) return error;
  if (error instanceof AppError) {
    const { code, hint, details } = error;
    return new AppError(code, `protocol ${name}: ${error.message}`, { hint, details, cause: error });
  }
  return new AppError("PROTOCOL_FAILED", `protocol ${name} could not ${purpose}: ${errorText(error)}`, {
    hint: `fix the protocol ${name}, then \`pawl retry\` and \`pawl resume\``,
    cause: error,
  });
}
