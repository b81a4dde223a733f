// Who looks. Owns: the token, in the storage of this origin, how it comes there, and whose it is. A cookie would go to every server of
// this machine, whatever its port; this goes to one.

import { signal } from "@preact/signals";
import type { Bearer } from "../../contracts/http-documents.ts";
import { roleTexts } from "../texts/roles.ts";

const key = "pawl.token";

/** `asked`: nobody has signed in, or the token is no longer valid. */
export const signIn = signal<"unknown" | "in" | "asked">("unknown");
/** Why a code or a token was not taken. Empty: none was given. */
export const signInProblem = signal("");
/** The token, as the service knows it. Null: it has not said yet. */
export const bearer = signal<Bearer | null>(null);

export function tokenNow(): string | null {
  return localStorage.getItem(key);
}

/** The service does not take the token. `why`: what it said, for a token that it has never taken. */
export function signOut(why: string): void {
  // The first one to tell knows whose token it was.
  if (signIn.value === "asked") return;
  const known = bearer.value;
  forgetToken();
  signInProblem.value = known === null ? why : endOf(known, Date.now());
}

/** The person wants to sign in with another one. */
export function forgetToken(): void {
  localStorage.removeItem(key);
  bearer.value = null;
  signInProblem.value = "";
  signIn.value = "asked";
}

function endOf({ name, expiresAt }: Bearer, now: number): string {
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now;
  return isExpired ? roleTexts.expired(name) : roleTexts.revoked(name);
}

/** A token that a person typed. The first call shows whether it is one. */
export function signInWith(token: string): void {
  localStorage.setItem(key, token);
  signInProblem.value = "";
  signIn.value = "in";
}

/** Another tab of this browser signs in or out. */
export function followToken(onOther: () => void): void {
  addEventListener("storage", (event) => {
    if (event.key !== key) return;
    if (event.newValue === null) signOut("");
    else {
      signIn.value = "in";
      onOther();
    }
  });
}

/** Takes a code or a token out of the address before anything else can read it. */
export async function takeFragment(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const [code, token] = [given.get("code"), given.get("token")];
  if (code !== null || token !== null) history.replaceState(null, "", location.pathname + location.search);
  // A link of another site must not sign somebody out, or in as another.
  if (token !== null && tokenNow() === null) localStorage.setItem(key, token);
  if (code !== null) await exchange(code);
  signIn.value = tokenNow() === null ? "asked" : "in";
}

async function exchange(code: string): Promise<void> {
  try {
    const answer = await fetch("/api/v1/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
      credentials: "omit",
    });
    const said = (await answer.json()) as { readonly token?: string; readonly detail?: string };
    if (answer.ok && said.token !== undefined) localStorage.setItem(key, said.token);
    else signInProblem.value = said.detail ?? `the service answered ${answer.status}`;
  } catch {
    signInProblem.value = "the service did not answer";
  }
}
