// `pawl completion`. Owns: the scripts of the shells. They ask `pawl complete` (completion.ts).

import { Argument, type Command } from "commander";
import { summaryOf } from "../../catalogue.ts";
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
  found=(\${(f)"$(pawl complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _pawl pawl
`,
  fish: `function __pawl_complete
  set -l typed (commandline -ct)
  set -l found (pawl complete -- (commandline -opc)[2..-1] "$typed" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$typed"
  end
end
complete -c pawl -f -a '(__pawl_complete)'
`,
} as const;

export function define(parent: Command, console: Console): void {
  parent
    .command("completion")
    .description(summaryOf("completion"))
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(scripts)))
    .addHelpText("after", example("source <(pawl completion bash)", "pawl completion fish | source"))
    .action((shell: keyof typeof scripts) => console.write(scripts[shell]));
}
