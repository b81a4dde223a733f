// Addresses of the page: the one of a run or of a gate, as a person names it.

import { gateId } from "../../domain/ids.ts";
import type { Application } from "../application.ts";
import { findRun } from "../references.ts";

/** Without a reference, the page's home. A number is always a run. */
export async function pagePath(app: Application, reference: string | undefined): Promise<string> {
  if (reference === undefined) return "/";
  const { store } = (await app.read()).parts;
  const found = await store.gate(gateId(reference));
  if (found !== null) return `/gates/${encodeURIComponent(found.gate.id)}`;
  return `/runs/${(await findRun(store, reference)).number}`;
}
