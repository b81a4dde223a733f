// Which addresses a browser may give as its push service: those of the public internet, over https.

import { privateHostOf } from "../address.ts";

const longestEndpoint = 1_000;

/** What is wrong with it; null: nothing. Where its name leads is checked with each message. */
export function problemOfEndpoint(text: string): string | null {
  if (text.length > longestEndpoint || !URL.canParse(text)) return "it is not an address";
  const url = new URL(text);
  if (url.protocol !== "https:") return "it does not begin with https://";
  if (url.username !== "" || url.password !== "" || url.hash !== "") return "it has a user or a fragment";
  if (privateHostOf(url) !== null) return "it is not a public address";
  return null;
}
