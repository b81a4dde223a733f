// Reads `service` of a configuration file: where people reach the service of this home from outside.

import { z } from "zod";

export interface ServiceConfig {
  /** The address under which the service is reached, without a slash at its end; null: only this machine reaches it. */
  readonly publicUrl: string | null;
}

export const serviceSchema = z.strictObject({
  public_url: z
    .string()
    .refine(isPlainAddress, "an address such as https://pawl.example.com, without a user, a query or a fragment")
    .optional(),
});

export function readServiceConfig(written: z.infer<typeof serviceSchema> | undefined): ServiceConfig {
  const url = written?.public_url;
  return { publicUrl: url === undefined ? null : new URL(url).href.replace(/\/+$/, "") };
}

/** Links are made by adding a path to it. */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return ["http:", "https:"].includes(protocol) && [username, password, search, hash].every((part) => part === "");
}
