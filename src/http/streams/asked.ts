// What a client asks of a stream: whether it wants one, and from where on.

import { AppError } from "../../domain/error.ts";
import type { Asked } from "../route.ts";

/** Headers of a route that can answer with a stream, for the OpenAPI document. */
export const headersOfStreams = {
  accept: "text/event-stream asks for a stream: one message for each entry, with its place as `id`.",
  "last-event-id": "The id of the last message that the client has; it wins over the query.",
} as const;

export function wantsStream({ header }: Pick<Asked, "header">): boolean {
  return (header("accept") ?? "").split(",").some((type) => type.trim().startsWith("text/event-stream"));
}

/** Behind which place the stream begins. A client that comes back sends its first address again, with the header. */
export function askedPlace({ header }: Pick<Asked, "header">, given: number): number {
  const last = header("last-event-id");
  if (last === undefined || last === "") return given;
  if (/^\d{1,15}$/.test(last)) return Number(last);
  throw new AppError("INPUT_INVALID", "Last-Event-ID is not the id of a message of this stream", {
    hint: "send the id of the last message, a number; without the header the stream begins at the first one",
  });
}
