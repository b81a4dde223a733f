// A home in which nothing has happened yet.

import { newSite } from "../../support/pawl.ts";
import { type ServedWorld, type ServeOptions, serveHome } from "./served.ts";

export async function emptyWorld(options: ServeOptions = {}): Promise<ServedWorld> {
  return await serveHome(newSite().home, { drives: true, ...options });
}
