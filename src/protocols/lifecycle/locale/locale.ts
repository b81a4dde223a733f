// The language of a session.

import { english } from "./en.ts";
import type { Messages } from "./messages.ts";
import { chinese } from "./zh.ts";

/** `zh`, `zh_CN.UTF-8`; anything else is English. */
export function messagesIn(locale: string | undefined): Messages {
  return /^zh(?:[_.-]|$)/i.test(locale ?? "") ? chinese : english;
}
