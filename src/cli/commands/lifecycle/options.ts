// Options that the commands of `pawl lifecycle` share.

import type { Command } from "commander";
import { AppError } from "../../../domain/error.ts";
import type { StoreOption } from "../../opened.ts";

export interface LifecycleOptions extends StoreOption {
  readonly dir?: string;
  readonly workflow?: string;
  readonly executor?: string;
  readonly script?: string;
  readonly inPlace?: boolean;
  readonly locale?: string;
  readonly phase?: string;
}

export const projectOption = [
  "--dir <dir>",
  "the project (default: the nearest folder upwards that has .workflow, else the current one)",
] as const;

export const workflowOption = [
  "--workflow <workflow>",
  "another table of stages: an id or a path (default: lifecycle)",
] as const;

/** The options of a subcommand. `pawl lifecycle` takes its own wherever they stand: one that the subcommand does not have is refused. */
export function givenTo(command: Command): LifecycleOptions {
  const { parent } = command;
  for (const option of parent?.options ?? []) {
    const name = option.attributeName();
    const isKnown = command.options.some((each) => each.attributeName() === name);
    if (isKnown || parent?.getOptionValueSource(name) !== "cli") continue;
    throw new AppError("USAGE", `unknown option '${option.long ?? option.flags}'`, {
      hint: `see \`pawl lifecycle ${command.name()} --help\``,
    });
  }
  return command.optsWithGlobals<LifecycleOptions>();
}
