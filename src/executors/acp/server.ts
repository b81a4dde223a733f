// The server that an ACP agent is. Owns: what a preset and the configuration come to, and what of it is not there.

import { AppError } from "../../domain/error.ts";
import type { Missing } from "../executor.ts";
import { chooseOther } from "../not-started.ts";
import { findProgram } from "../program.ts";
import type { CommandLine } from "../sandbox/sandbox.ts";
import { type AcpPreset, type AcpPresetName, acpPresets } from "./presets.ts";

export type AcpServer = Omit<AcpPreset, "places"> & Partial<Pick<AcpPreset, "places">>;

export interface ServerOptions {
  readonly name: string;
  /** Wins over the preset's; null: that of the preset. */
  readonly command: CommandLine | null;
  readonly preset: AcpPresetName | null;
}

export function serverOf({ name, command, preset }: ServerOptions): AcpServer {
  const known = preset === null ? null : acpPresets[preset];
  if (known !== null) return { ...known, command: command ?? known.command };
  if (command === null)
    throw new AppError("CONFIG_INVALID", `executors.${name} says neither a command nor a preset`, {
      hint: `add \`command: [PROGRAM, ARGUMENT]\`, or \`preset:\` with one of ${Object.keys(acpPresets).join(", ")}`,
    });
  const [program] = command;
  const login = `log in with \`${program}\`, or allow its key with executors.${name}.env`;
  return { title: program, install: `install ${program}`, login, keys: [], asks: true, command };
}

export function missingServer({ title, command, install }: AcpServer): Missing | null {
  const [program] = command;
  if (findProgram(program) !== null) return null;
  const shown = title === program ? `\`${program}\`` : `${title} (\`${program}\`)`;
  return { what: `${shown} is not installed or not on PATH`, hint: `${install}, or ${chooseOther}` };
}
