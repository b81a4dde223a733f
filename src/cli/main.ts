// The command line. Owns: finding the command, loading only what it needs, and turning errors into messages and exit codes.

import { Command, CommanderError } from "commander";
import { AppError, exitCodes } from "../domain/error.ts";
import { didYouMean } from "../domain/nearest.ts";
import { catalogue } from "./catalogue.ts";
import { loaders } from "./loaders.ts";
import { Console } from "./output/console.ts";
import { overview } from "./output/help.ts";

/** Resolves to the exit code. Never rejects for anything that a user can cause. */
export async function main(argv: readonly string[]): Promise<number> {
  const console = new Console(argv.includes("--json"));
  const end = console.guard();
  try {
    return await run(console, argv);
  } catch (error) {
    return console.fail(error);
  } finally {
    end();
  }
}

async function run(console: Console, argv: readonly string[]): Promise<number> {
  if (argv[0] === "complete" && argv[1] === "--") {
    const { printCandidates } = await import("./completion.ts");
    await printCandidates(argv, console);
    return exitCodes.done;
  }
  const name = argv.find((word, index) => !word.startsWith("-") && argv[index - 1] !== "--store");
  if (name === undefined || (name === "help" && argv.length === 1)) {
    console.print(overview(catalogue));
    return argv.some((word) => word === "--help" || word === "-h" || word === "help") || argv.length === 0
      ? exitCodes.done
      : exitCodes.usage;
  }
  const wanted = name === "help" ? argv[argv.indexOf("help") + 1] : name;
  const load = loaders.get(wanted ?? "");
  if (!load) {
    throw new AppError("USAGE", `there is no command "${wanted ?? name}"`, {
      hint: `${didYouMean(wanted ?? name, loaders.keys())}\`pawl --help\` lists the commands`,
    });
  }
  const { define } = await load();
  const program = new Command("pawl").exitOverride().configureOutput({
    writeOut: (text) => console.write(text),
    writeErr: () => undefined,
  });
  program
    .option("--store <store>", "another store: sqlite:PATH or postgres://…")
    .option("--json", "one JSON document on stdout");
  program.hook("preAction", (_, command) => {
    const { store } = program.opts<{ store?: string }>();
    if (store !== undefined) command.setOptionValue("store", store);
  });
  define(program, console);
  for (const command of program.commands) inheritSettings(command, program);
  const words = name === "help" ? [...argv.filter((word) => word !== "help"), "--help"] : argv;
  try {
    await program.parseAsync([...words], { from: "user" });
    return console.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.done;
    const called = commandNamed(program, words);
    const missing = error.code === "commander.help" ? needsCommand(called) : null;
    throw new AppError("USAGE", missing ?? error.message.replace(/^error: /, ""), {
      hint: `\`pawl ${namesOf(called).join(" ")} --help\` shows how it is called`,
    });
  }
}

/** The command or subcommand that the words call. */
function commandNamed(program: Command, words: readonly string[]): Command {
  let called = program;
  for (const word of words) {
    if (word.startsWith("-")) continue;
    const next = called.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined && called !== program) break;
    called = next ?? called;
  }
  return called;
}

function namesOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

/** Commander's own text for a group without a subcommand is "(outputHelp)". */
function needsCommand(group: Command): string {
  const names = group.commands.map((command) => command.name());
  return `\`pawl ${namesOf(group).join(" ")}\` needs a command: ${names.join(", ")}`;
}

/** Options that every command knows may stand before or after its name. */
function inheritSettings(command: Command, program: Command): void {
  command.copyInheritedSettings(program).exitOverride();
  if (!command.options.some((option) => option.long === "--json"))
    command.option("--json", "one JSON document on stdout");
  command.option("--store <store>", "another store: sqlite:PATH or postgres://…");
  for (const nested of command.commands) inheritSettings(nested, program);
}
