// Contracts of the HTTP API alone, and of `pawl token`. Everything else that the API returns is a document of `--json`.

import { z } from "zod";
import { errorCode } from "./error-document.ts";
import { list, object, text, texts, time } from "./shape.ts";

const role = z.enum(["read", "answer", "operate"]);

export const createdTokenContract = object({
  token: text.describe("The secret. It is shown this once."),
  role,
  name: text,
}).meta({ id: "CreatedToken" });

const tokenContract = object({
  name: text,
  role,
  createdAt: time,
  expiresAt: time.nullable(),
  usedAt: time.nullable().describe("When it was last used, to the minute."),
}).meta({ id: "TokenDocument" });

export const revokedTokenContract = tokenContract;
export const tokensContract = object({ tokens: list(tokenContract) }).meta({ id: "TokenList" });

export const healthContract = object({ ok: z.literal(true) }).meta({ id: "Health" });

/** RFC 9457. */
export const problemContract = object({
  type: z.literal("about:blank"),
  title: text,
  status: z.int(),
  code: z.enum([
    ...errorCode.options,
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "MISDIRECTED",
    "MEDIA_TYPE",
    "TOO_LARGE",
    "TOO_MANY",
    "DEFECT",
  ]),
  detail: text,
  hint: text,
  details: texts,
}).meta({ id: "Problem" });

export type CreatedToken = z.infer<typeof createdTokenContract>;
export type TokenDocument = z.infer<typeof tokenContract>;
export type TokenList = z.infer<typeof tokensContract>;
export type Problem = z.infer<typeof problemContract>;
