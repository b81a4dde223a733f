// What a person chose for a project: its name and its level. Both are in the sidecar of `.ai/`, which outlives runs.

import { readSettings, writeSettings } from "../files/sidecar.ts";

/** 0: a person forwards each prompt. 1: each step waits for a person. 2: a person is asked only where it is needed. */
export type Level = 0 | 1 | 2;

export interface ProjectSettings {
  readonly name: string;
  readonly level: Level;
}

const defaultLevel: Level = 1;

/** `ai`: the folder `.ai/`. `name`: what the project is called unless a person chose. */
export function projectSettings(ai: string, name: string): ProjectSettings {
  const { name: chosen, level } = readSettings(ai);
  return { name: typeof chosen === "string" ? chosen : name, level: asLevel(level) ?? defaultLevel };
}

export function chooseSettings(ai: string, settings: ProjectSettings): void {
  writeSettings(ai, { ...readSettings(ai), ...settings });
}

/** Null: it is none. */
export function asLevel(value: unknown): Level | null {
  const level = typeof value === "string" ? Number(value) : value;
  return level === 0 || level === 1 || level === 2 ? level : null;
}
