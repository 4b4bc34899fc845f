import { Command } from 'commander'
import { variables } from '../config.ts'
import { describeConfig } from '../platform/config/config.ts'

/** `atrium help`: the help of a command, or `help env`, which describes all variables. */
export function helpCommand(root: () => Command): Command {
  return new Command('help')
    .summary('help of a command; help env: variables')
    .description('show the help of a command; `help env` describes all environment variables')
    .argument('[words...]', 'a command, such as `db backup`, or env')
    .action((words: readonly string[], _: object, command: Command) => {
      if (words.length === 1 && words[0] === 'env') {
        console.log(`Environment:\n${describeConfig(variables)}`)
        return
      }
      const found = words.reduce<Command | undefined>((at, word) => at?.commands.find((each) => each.name() === word), root())
      if (found === undefined) command.error(`error: there is no command '${words.join(' ')}'`, { exitCode: 2 })
      found?.outputHelp()
    })
}
