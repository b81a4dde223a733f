// Sends a signal to a run: a program says that something has happened.

import type { SentSignal } from "../../contracts/run-documents.ts";
import type { Rejection } from "../../domain/decision.ts";
import { AppError, type ErrorCode } from "../../domain/error.ts";
import { storyId } from "../../domain/ids.ts";
import { readCommandOutputs } from "../../prompts/command-outputs.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { Application } from "../application.ts";
import { findRun } from "../references.ts";

const longestPayload = 64 * 1024;

export interface SignalRequest {
  readonly signal: string;
  /** A JSON object; absent: none. */
  readonly json?: string | undefined;
  /** The story it is for; absent: the run's own chain. */
  readonly story?: string | undefined;
  readonly author?: string | undefined;
}

/** The oldest step that waits for it wakes up; without one it is kept. */
export async function sendSignal(app: Application, reference: string, request: SignalRequest): Promise<SentSignal> {
  const { signal, json = "{}", story, author = app.author } = request;
  const outputs = outputsIn(json);
  return await app.change(null, async ({ parts }) => {
    const found = await findRun(parts.store, reference);
    const of = story === undefined ? null : storyId(story);
    const command = { type: "receive_signal", signal, of, outputs, at: parts.clock.now(), author } as const;
    const decision = await transition(parts, found.id, command);
    if (!decision.accepted) {
      throw new AppError(codes[decision.code] ?? "REFUSED", `run #${found.number}: ${decision.why}`, {
        hint: `nothing was changed; \`pawl status ${found.number}\` shows what the run waits for`,
      });
    }
    const taken = decision.events.find((event) => event.type === "signal_taken" && event.story === of);
    const after = (await parts.store.runById(found.id)) ?? found;
    return {
      run: found.id,
      number: found.number,
      signal,
      story: of,
      taken: taken?.type === "signal_taken" ? taken.step : null,
      status: after.status,
    };
  });
}

/** A missing key is wrong input. */
const codes: Readonly<Partial<Record<Rejection["code"], ErrorCode>>> = { unknown: "NOT_FOUND", illegal: "USAGE" };

/** Every key of the object: the run knows which of them its steps declare. */
function outputsIn(json: string): Readonly<Record<string, string>> {
  if (Buffer.byteLength(json) > longestPayload)
    throw new AppError("USAGE", `the signal has more than ${longestPayload / 1024} KiB; nothing was changed`, {
      hint: "write the details to a file, and send its path",
    });
  const keys = keysOf(json);
  return readCommandOutputs(json, keys).outputs;
}

function keysOf(json: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return Object.keys(parsed).map((key) => key.trim().toLowerCase());
  } catch {
    // It is said below what is wanted.
  }
  throw new AppError("USAGE", "a signal carries one JSON object, and this is none; nothing was changed", {
    hint: `for example: pawl signal 3 deploy-done '{"url": "https://example.org"}'`,
  });
}
