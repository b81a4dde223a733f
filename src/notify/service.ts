// One call of a chat or push service: JSON there and back, with the time limit and the rules of every delivery.

import { errorText } from "../domain/error.ts";
import { type Answered, type CheckedRequest, sendChecked } from "./request.ts";
import { type Delivery, reasonOf } from "./target.ts";

/** More than any of them says about a message. */
const mostBytes = 64 * 1024;

/** What a service said, if it was a JSON object; {} if it was something else. */
export type ServiceSaid = Readonly<Record<string, unknown>>;

export interface ServiceCall extends Pick<CheckedRequest, "method" | "url" | "allowPrivate" | "signal"> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json: object;
}

/** `read` says what the answer means. Never rejects. */
export async function callService(
  { json, headers = {}, ...call }: ServiceCall,
  read: (answer: Answered, said: ServiceSaid) => Delivery,
): Promise<Delivery> {
  try {
    const answer = await sendChecked({
      ...call,
      headers: { ...headers, "Content-Type": "application/json; charset=utf-8" },
      body: JSON.stringify(json),
      mostBytes,
    });
    return read(answer, saidIn(answer.body));
  } catch (error) {
    return { outcome: "failed", why: call.signal.aborted ? reasonOf(call.signal) : errorText(error) };
  }
}

/** What a service calls a message, if it can be kept. */
export function receiptIn(value: unknown): { readonly receipt?: string } {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return /^[\w.:-]{1,100}$/.test(text) ? { receipt: text } : {};
}

/** A code or a short text of a service, for the log. */
export function reasonIn(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/[^\w .,:'-]/g, "").slice(0, 100) : "";
}

function saidIn(body: string): ServiceSaid {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as ServiceSaid) : {};
  } catch {
    return {};
  }
}
