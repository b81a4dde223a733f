// `pawl completion`, and `pawl complete`, which its scripts ask. Owns: the scripts of the shells.

import { Argument, type Command } from "commander";
import { summaryOf } from "../../catalogue.ts";
import { candidatesFor } from "../../completion.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

const scripts = {
  bash: `_pawl() {
  local IFS=$'\\n'
  COMPREPLY=($(pawl complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _pawl pawl
`,
  zsh: `#compdef pawl
_pawl() {
  local -a found
  found=("\${(@f)$(pawl complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _pawl pawl
`,
  fish: `complete -c pawl -a '(pawl complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
} as const;

export function define(parent: Command, console: Console): void {
  parent
    .command("completion")
    .description(summaryOf("completion"))
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(scripts)))
    .addHelpText("after", example("source <(pawl completion bash)", "pawl completion fish | source"))
    .action((shell: keyof typeof scripts) => console.write(scripts[shell]));

  parent
    .command("complete", { hidden: true })
    .description("print the words that can stand at the end of a command line")
    .argument("[words...]", "the words after `pawl`; the last is being typed")
    .addHelpText("after", example("pawl complete -- diff 3 US"))
    .action(async (words: readonly string[]) => {
      const found = await candidatesFor(words, console);
      if (found.length > 0) console.print([...new Set(found)].join("\n"));
    });
}
