// Showing the page. Owns: what `pawl open` and `pawl demo --open` share: a service, an address with a code for one sign-in, and a browser.

import { createSignInCode } from "../../application/access/sign-in.ts";
import type { Application } from "../../application/application.ts";
import type { OpenedPage } from "../../contracts/service-documents.ts";
import { AppError } from "../../domain/error.ts";
import { type ReachedService, reachService } from "../../service/reach.ts";
import { openBrowser } from "../../system/browser.ts";
import type { Console } from "./console.ts";

interface PageRequest {
  readonly service: ReachedService;
  /** `/runs/7`. */
  readonly path: string;
  /** Starts no browser: the address is for another machine. */
  readonly isPrinted: boolean;
}

const answerMs = 10_000;
const openedMs = 60_000;
/** A person copies it. */
const printedMs = 5 * 60_000;

/** Says so where it has started one. */
export async function serviceForPage(console: Console, app: Application): Promise<ReachedService> {
  const service = await reachService(app);
  const { url, pid, isNew } = service;
  if (isNew) console.say(`The service was started at ${url} (process ${pid}); \`pawl down\` stops it.`);
  const trouble = await troubleOf(url);
  if (trouble !== null) console.note(trouble);
  return service;
}

/** The address in the document lets its reader in only where no browser was opened. */
export async function showPage(console: Console, app: Application, request: PageRequest): Promise<OpenedPage> {
  const { isNew: started, ...reached } = request.service;
  const { publicUrl } = (await app.read()).config.service;
  const url = `${publicUrl ?? reached.url}${request.path}`;
  const service = { ...reached, started };
  if (!request.isPrinted) {
    const { code, expiresAt } = await createSignInCode(app, openedMs);
    if (await openBrowser(withCode(url, code), app.env))
      return { url, opened: true, expiresAt: timeOf(expiresAt), service };
    console.note("no browser could be started here");
  }
  const { code, expiresAt } = await createSignInCode(app, printedMs);
  return { url: withCode(url, code), opened: false, expiresAt: timeOf(expiresAt), service };
}

/** What a person does with the document. */
export function sayHow(console: Console, { url, opened, service }: OpenedPage): void {
  if (opened) return console.say(`Opened ${url} in your browser. \`pawl token list\` shows where you are signed in.`);
  console.say("Open it in a browser. It signs in once, within 5 minutes.");
  const { hostname, port } = new URL(service.url);
  if (url.startsWith(service.url))
    console.say(`From another machine, forward the port first: ssh -L ${port}:${hostname}:${port} HOST`);
}

/** Behind the `#`, which no browser sends to a server. */
function withCode(url: string, code: string): string {
  return `${url}#code=${code}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}

/** Why the service shows no page; null: it does. */
async function troubleOf(url: string): Promise<string | null> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerMs) }).catch((error: unknown) => {
    throw new AppError("REFUSED", `the service does not answer at ${url}`, {
      hint: "`pawl down`, then type it again",
      cause: error,
    });
  });
  if (answer.ok) return null;
  const { detail, hint } = (await answer.json()) as { readonly detail: string; readonly hint: string };
  return `${detail}: ${hint}`;
}
