import { Argument, Command } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** `atrium completion`: a script that completes commands and options of `root` in a shell. */
export function completionCommand(root: () => Command): Command {
  return new Command('completion')
    .summary('completion for your shell')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'shell that you use').choices(SHELLS))
    .addHelpText(
      'after',
      `
bash  eval "$(npx atrium completion bash)"       in ~/.bashrc
zsh   eval "$(npx atrium completion zsh)"        in ~/.zshrc, below compinit
fish  npx atrium completion fish | source        in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell) => console.log(SCRIPTS[shell](wordsOf(root()))))
}

/** Possible next words by the command words before them. */
type Follow = ReadonlyMap<string, readonly string[]>

function wordsOf(root: Command): Follow {
  const words = new Map<string, readonly string[]>()
  const add = (command: Command, path: string): void => {
    words.set(path, [
      ...command.commands.map((each) => each.name()),
      ...command.options.flatMap(({ long }) => long ?? []),
      '--help',
    ])
    for (const each of command.commands) add(each, `${path} ${each.name()}`.trim())
  }
  add(root, '')
  return words
}

/**
 * Branches of the shell's `case`. Names of commands and options need no quoting: letters and
 * hyphens only.
 */
const cases = (words: Follow): string =>
  [...words].map(([path, follow]) => `    '${path}') words='${follow.join(' ')}' ;;`).join('\n')

const bash = (words: Follow): string => `_atrium() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in atrium|-*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case $path in
${cases(words)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _atrium atrium
_atrium_npx() { [ "\${COMP_WORDS[1]}" = atrium ] && _atrium; }
complete -o default -F _atrium_npx npx`

const SCRIPTS: Readonly<Record<Shell, (words: Follow) => string>> = {
  bash,
  // zsh runs the bash script through `bashcompinit`.
  zsh: (words) => `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`,
  fish: (words) =>
    [...words]
      .map(([path, follow]) => {
        const seen =
          path === ''
            ? '__fish_use_subcommand'
            : `__fish_seen_subcommand_from ${path.split(' ').join('; and __fish_seen_subcommand_from ')}`
        return `complete -c atrium -f -n '${seen}' -a '${follow.join(' ')}'`
      })
      .join('\n'),
}
