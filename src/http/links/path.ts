// Where links to one gate lie, and which guards do not hold there.

import type { GuardName } from "../guards.ts";

/** The part of a path that links begin with. */
export const linkRoot = "/g/";

/** People come to a link from other sites, and its page sends a form. Both are refused everywhere else. */
export const notForLinks: readonly GuardName[] = ["site", "json"];
