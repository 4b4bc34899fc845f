import { Command } from 'commander'
import { commandLoaders } from '../../cli/command-loaders.ts'
import { generatedFrom } from './markdown.ts'

/** Columns of the help: a block of the page shows so many, and a terminal of usual width. */
const HELP_COLUMNS = 80

/** The whole help of a command, as \`--help\` prints it. */
function helpOf(command: Command): string {
  const written: string[] = []
  command.configureOutput({ writeOut: (text) => written.push(text), getOutHelpWidth: () => HELP_COLUMNS })
  command.outputHelp()
  return written.join('').trim()
}

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

const nameOf = (command: Command): string => (command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name())

/** Every command of \`npx atrium\`, with the help that it prints. */
export async function commandsPage(): Promise<string> {
  const root = new Command('atrium').helpCommand(false)
  for (const load of commandLoaders(root).values()) root.addCommand(await load())
  const sections = root.commands.map(
    (command) =>
      `## ${command.name()}\n${command.commands.length > 0 ? `${command.description()}.\n\n` : ''}${leavesOf(command)
        .map((leaf) => `${leaf === command ? '' : `### ${nameOf(leaf)}\n`}\`\`\`text\n${helpOf(leaf)}\n\`\`\``)
        .join('\n\n')}`,
  )
  return `# Commands
\`npx atrium COMMAND --help\` prints the same. Exit status: 0 done, 1 rejected or failed with the reason on standard error, 2 wrong usage, 130 interrupted.

${sections.join('\n\n')}

${generatedFrom('cli/')}`
}
