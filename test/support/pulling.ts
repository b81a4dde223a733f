// Agents that pull, for tests: the commands with which an agent claims a step and reports on it.

import { expect } from "vitest";
import { expectCode, pawl, type Site } from "./pawl.ts";

export interface Claimed {
  readonly found: true;
  readonly runId: string;
  readonly stepId: string;
  readonly storyId: string | null;
  readonly attempt: number;
  readonly token: string;
  readonly input: string;
}

export interface Reported {
  readonly code: number | null;
  readonly accepted: boolean;
  readonly advanced: boolean;
  readonly runDone: boolean;
  readonly why: string;
}

export async function peek(site: Site, agent: string): Promise<string> {
  return (await site.pawl("step", "peek", agent)).stdout.trim();
}

/** Null if there is nothing to claim. */
export async function tryClaim(site: Site, agent: string): Promise<Claimed | null> {
  const called = await site.pawl("step", "claim", agent);
  expectCode(called, 0);
  const answer = JSON.parse(called.stdout) as Claimed | { readonly found: false };
  return answer.found ? answer : null;
}

export async function claim(site: Site, agent: string): Promise<Claimed> {
  const claimed = await tryClaim(site, agent);
  if (!claimed) throw new Error(`nothing to claim for ${agent}: ${(await site.pawl("why")).stdout}`);
  return claimed;
}

/** Reports on stdin, as an agent does; the report may be refused. */
export async function complete(site: Site, step: { readonly stepId: string }, output: string): Promise<Reported> {
  return read(await pawl(["step", "complete", step.stepId], { home: site.home, input: output }));
}

export async function fail(site: Site, step: { readonly stepId: string }, reason: string): Promise<Reported> {
  return read(await pawl(["step", "fail", step.stepId, reason], { home: site.home }));
}

/** Claims and completes in one go. */
export async function perform(site: Site, agent: string, output: string): Promise<Claimed & { reported: Reported }> {
  const claimed = await claim(site, agent);
  const reported = await complete(site, claimed, output);
  expect(reported).toMatchObject({ code: 0, accepted: true });
  return { ...claimed, reported };
}

function read(called: { code: number | null; stdout: string; stderr: string }): Reported {
  if (called.stdout === "") throw new Error(`no report: ${called.stderr}`);
  return { code: called.code, ...(JSON.parse(called.stdout) as Omit<Reported, "code">) };
}
