// Commands as functions. Owns: calling a command of the command line from within, and getting the document that `--json` prints.

import { Command, CommanderError } from "commander";
import { AppError } from "../domain/error.ts";
import { Console } from "./console.ts";

type Define = (program: Command, console: Console) => void;

/** Nothing of it reaches the pipes of this process. */
class Captured extends Console {
  data = "";

  constructor() {
    super(true);
  }

  override print(text: string): void {
    this.data += `${text}\n`;
  }

  override write(text: string): void {
    this.data += text;
  }

  override say(): void {}
}

/** `path`: the command's name, or several where it is nested. `words` never become options; what is undefined is left out. */
export async function documentOf(
  define: Define,
  path: readonly string[],
  words: readonly (string | undefined)[] = [],
  options: Readonly<Record<string, string | undefined>> = {},
): Promise<unknown> {
  const console = new Captured();
  const program = new Command("pawl");
  define(program, console);
  const command = path.reduce(
    (parent, name) => parent.commands.find((each) => each.name() === name) ?? parent,
    program,
  );
  const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  try {
    const quiet = command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
    await quiet.parseAsync([...given, "--", ...words.filter((word) => word !== undefined)], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new AppError("USAGE", error.message.replace(/^error: /, ""), { hint: `\`pawl ${path.join(" ")} --help\`` });
  }
  return console.data === "" ? {} : JSON.parse(console.data);
}
