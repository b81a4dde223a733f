// Who did something, as a person reads it: the same name everywhere.

import { isOwn } from "../api/role.ts";
import { common } from "../texts/common.ts";
import { visibleText } from "./visible-text.ts";

/** `You`, `ann` of `user:ann`, or `The deadline`. At the beginning of a sentence. */
export function personIn(author: string): string {
  if (isOwn(author)) return common.you;
  return author === "deadline" ? common.deadline : visibleText(author.replace(/^(?:user|token):/, ""));
}
