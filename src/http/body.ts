// Bodies of requests: JSON of a limited size, counted as it arrives, because a client may announce less than it sends, or nothing.

import { AppError } from "../domain/error.ts";
import { problem } from "./problem.ts";
import { Refusal } from "./refusal.ts";

/** A request without a body has an empty object. */
export async function jsonBody(request: Request, atMost: number): Promise<unknown> {
  const text = await textBody(request, atMost);
  if (text === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError("INPUT_INVALID", "the body is not JSON", { hint: "send one JSON object", cause: error });
  }
  assertPlain(value);
  return value;
}

const deepest = 64;

/** Whoever walks a value by recursion ends where the stack does, and a key `__proto__` is lost on the way without a word. */
function assertPlain(value: unknown): void {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest)
      throw new AppError("INPUT_INVALID", `the body is nested deeper than ${deepest} levels`, { hint: "send less" });
    const objects = level.filter((each) => typeof each === "object" && each !== null);
    if (objects.some((each) => Object.hasOwn(each, "__proto__")))
      throw new AppError("INPUT_INVALID", "the body has the key __proto__", { hint: "choose another name" });
    level = objects.flatMap((each) => Object.values(each));
  }
}

export async function textBody(request: Request, atMost: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > atMost) throw tooLarge(atMost);
  if (request.body === null) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body) {
    size += piece.length;
    if (size > atMost) throw tooLarge(atMost);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** What is still to come is not read: the connection is closed. */
function tooLarge(atMost: number): Refusal {
  const detail = `the body is larger than ${Math.floor(atMost / 1024)} KiB`;
  return new Refusal(problem(413, "TOO_LARGE", detail, "send less"), { connection: "close" });
}
