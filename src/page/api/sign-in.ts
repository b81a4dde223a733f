// Who looks. Owns: the token, in the storage of this origin, and how it comes there. A cookie would go to every server of this machine,
// whatever its port; this goes to one.

import { signal } from "@preact/signals";

const key = "pawl.token";

/** `asked`: nobody has signed in, or the token is no longer valid. */
export const signIn = signal<"unknown" | "in" | "asked">("unknown");
/** Why a code or a token was not taken. Empty: none was given. */
export const signInProblem = signal("");

export function tokenNow(): string | null {
  return localStorage.getItem(key);
}

export function signOut(why: string): void {
  localStorage.removeItem(key);
  signInProblem.value = why;
  signIn.value = "asked";
}

/** A token that a person typed. The first call shows whether it is one. */
export function signInWith(token: string): void {
  localStorage.setItem(key, token);
  signInProblem.value = "";
  signIn.value = "in";
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
