// Lowers the caps of a file.

import { type CapName, type Caps, defaultCaps } from "../../domain/definition.ts";
import { durationMs } from "../document/duration.ts";
import type { CapsInput } from "./schema.ts";

export function readCaps(written: CapsInput): Caps {
  const caps = withDefaults(written);
  const names = { attempts: written.attempts, steps: written.steps, wallMs: written.wall, costUsd: written.usd };
  const set = Object.entries({ ...names, tokens: written.tokens }).filter(([, value]) => value !== undefined);
  const given = set.map(([name]) => name as CapName).filter((name) => caps[name] === defaultCaps[name]);
  return given.length === 0 ? caps : { ...caps, given };
}

function withDefaults(written: CapsInput): Caps {
  return {
    attempts: written.attempts ?? defaultCaps.attempts,
    steps: written.steps ?? defaultCaps.steps,
    wallMs: written.wall === undefined ? defaultCaps.wallMs : durationMs(written.wall),
    costUsd: written.usd ?? defaultCaps.costUsd,
    tokens: written.tokens ?? defaultCaps.tokens,
    then: written.then ?? defaultCaps.then,
    hard: written.hard ?? defaultCaps.hard,
    lostPerStep: written.lost ?? defaultCaps.lostPerStep,
    ...(written.unknown === "stop" ? { unknown: "stop" } : {}),
  };
}
