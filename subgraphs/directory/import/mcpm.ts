import { installCommand, statedCommand } from './command.ts'
import { serverStatement, variablesIn } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { singleReader } from './single.ts'

/** How mcpm names its ways to install, the simplest first. */
const WAYS = ['npm', 'uvx', 'python', 'docker', 'http', 'custom'] as const

/** servers/*.json of mcpm: display name, installations with commands, arguments as variables. */
export const mcpmReader = singleReader(
  'mcpm',
  ({ name, installations }) => typeof name === 'string' && asRecord(installations) !== null,
  (fields) => {
    const installations = asRecord(fields.installations) ?? {}
    const ways = WAYS.map((way) => asRecord(installations[way])).filter((way) => way !== null)
    const remote = ways.find(({ url }) => typeof url === 'string')
    const [category] = asList(fields.categories)
    const local = ways.some(({ command }) => typeof command === 'string')
    const repository = asRecord(fields.repository)?.url ?? fields.repository
    return serverStatement({
      repository,
      names: [fields.name, ...ways.map(packageOf)],
      title: fields.display_name,
      description: fields.description,
      category,
      tags: fields.tags,
      official: fields.is_official === true ? true : null,
      transport: local ? 'stdio' : remote ? 'streamable-http' : null,
      installCommand: commandOf(ways, typeof fields.name === 'string' ? fields.name : ''),
      envVars: variablesIn(fields.arguments, ({ required }) => ({ required: required === true })),
      remoteUrl: remote?.url,
      docs: [fields.homepage],
      deprecated: fields.is_archived === true || null,
    })
  },
)

type Way = Readonly<Record<string, unknown>>

const wordsOf = ({ command, args }: Way): readonly string[] =>
  [command, ...asList(args)].filter((word) => typeof word === 'string')

/** The package that a way starts: the first word that is no flag. */
const packageOf = (way: Way): string | undefined =>
  wordsOf(way)
    .slice(1)
    .find((word) => !word.startsWith('-'))

/** The first command without places to fill in, or else of the package alone. */
function commandOf(ways: readonly Way[], name: string): string | null {
  for (const way of ways) {
    const stated = statedCommand(wordsOf(way).join(' '))
    if (stated !== null) return stated
    const started = packageOf(way)
    const from = way.command === 'npx' ? 'npm' : way.command === 'uvx' ? 'pypi' : null
    const command = from && started !== undefined ? installCommand({ from, name: started }) : null
    if (command !== null) return command
    if (typeof way.url === 'string') {
      const remote = installCommand({ from: 'remote', name, url: way.url, transport: 'http' })
      if (remote !== null) return remote
    }
  }
  return null
}
