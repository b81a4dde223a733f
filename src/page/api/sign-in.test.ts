// Where the token comes from, and how it goes.

import { beforeEach, expect, test, vi } from "vitest";
import { call } from "./calls.ts";
import { bearer, forgetToken, signIn, signInProblem, signInWith, signOut, takeFragment, tokenNow } from "./sign-in.ts";

const kept = new Map<string, string>();
const shown: string[] = [];

function at(hash: string): void {
  vi.stubGlobal("location", { hash, pathname: "/runs/7", search: "?at=3" });
}

beforeEach(() => {
  kept.clear();
  shown.length = 0;
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal("history", { replaceState: (_: unknown, __: string, path: string) => shown.push(path) });
  forgetToken();
  return () => vi.unstubAllGlobals();
});

test("[PG16] a token in the address is taken where there is none, and ignored where there is one; it leaves the address in both", async () => {
  at("#token=first");
  await takeFragment();
  expect([tokenNow(), signIn.value]).toEqual(["first", "in"]);
  at("#token=of-another-site");
  await takeFragment();
  expect([tokenNow(), signIn.value]).toEqual(["first", "in"]);
  expect(shown).toEqual(["/runs/7?at=3", "/runs/7?at=3"]);
});

test("[PG18] a token that is not taken any more is named, with whether it was revoked or has expired; who tells first is right", () => {
  const ended = (expiresAt: string | null) => {
    signInWith("secret");
    bearer.value = { name: "browser-1", role: "operate", expiresAt };
    signOut("the token is missing or not valid");
    const first = signInProblem.value;
    // Of a call that was under way.
    signOut("");
    expect(signInProblem.value).toBe(first);
    expect([tokenNow(), bearer.value]).toEqual([null, null]);
    return first;
  };
  expect(ended(null)).toBe("the token browser-1 was revoked");
  expect(ended("2999-01-01T00:00:00Z")).toBe("the token browser-1 was revoked");
  expect(ended("2001-01-01T00:00:00Z")).toBe("the token browser-1 has expired");
});

test("[PG18] a refusal that comes late does not end the token that is there by now", async () => {
  signInWith("old");
  vi.stubGlobal("fetch", async () => {
    signInWith("new");
    return new Response("{}", { status: 401 });
  });
  await expect(call("/gates", {})).rejects.toMatchObject({ status: 401 });
  expect([tokenNow(), signIn.value]).toEqual(["new", "in"]);
});
