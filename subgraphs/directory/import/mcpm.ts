import type { Installation } from '../item/item.ts'
import { startedPackage, statedCommand } from './command.ts'
import { commandInstallation, packageInstallation, remoteInstallation } from './installation.ts'
import { serverStatement, transportIn, variablesIn } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { singleRecordReader } from './single-record-reader.ts'
import { slugOf } from './text.ts'
import { repositoryOf } from './url.ts'

/** Installation kinds of mcpm, the simplest first. */
const INSTALLATION_KINDS = ['npm', 'uvx', 'python', 'docker', 'http', 'custom'] as const

/** servers/*.json of mcpm: display name, installations with commands, arguments as variables. */
export const mcpmReader = singleRecordReader(
  'mcpm',
  ({ name, installations }) => typeof name === 'string' && asRecord(installations) !== null,
  (fields) => {
    const installations = asRecord(fields.installations) ?? {}
    const methods = INSTALLATION_KINDS.map((method) => asRecord(installations[method])).filter((route) => route !== null)
    const remote = methods.find(({ url }) => typeof url === 'string')
    const [category] = asList(fields.categories)
    const local = methods.some(({ command }) => typeof command === 'string')
    const repository = asRecord(fields.repository)?.url ?? fields.repository
    return serverStatement({
      repository,
      // Other sources use its package, which identifies it in a repository of many.
      names: [...packagesOf(methods, repositoryOf(repository)?.repo ?? ''), fields.name],
      title: fields.display_name,
      description: fields.description,
      category,
      tags: fields.tags,
      license: fields.license,
      official: fields.is_official === true ? true : null,
      transport: local ? 'stdio' : remote ? 'streamable-http' : null,
      installations: methods.flatMap((method) => installationsOf(method, typeof fields.name === 'string' ? fields.name : '')),
      envVars: variablesIn(fields.arguments, ({ required }) => ({ required: required === true })),
      features: { tools: fields.tools, prompts: fields.prompts, resources: fields.resources },
      remoteUrl: remote?.url,
      docs: [fields.homepage],
      deprecated: typeof fields.is_archived === 'boolean' ? fields.is_archived : null,
    })
  },
)

type Method = Readonly<Record<string, unknown>>

const wordsOf = ({ command, args }: Method): readonly string[] =>
  [command, ...asList(args)].filter((word) => typeof word === 'string')

/** What only stands for something of the reader's own. */
const PLACEHOLDER = /path\/to\b|\byour[-_]/i

/**
 * Packages of the installations; one with the name of the repository does not identify a server.
 */
const packagesOf = (methods: readonly Method[], repo: string): readonly string[] =>
  methods.flatMap((method) => {
    const started = startedPackage(wordsOf(method).join(' '))
    if (started?.from !== 'npm' && started?.from !== 'pypi') return []
    return slugOf(started.name.split('/').at(-1) ?? '') === slugOf(repo) ? [] : [started.name]
  })

/** A command without places to fill in, or else of the package alone; then the address. */
function installationsOf(method: Method, name: string): readonly (Installation | null)[] {
  const words = wordsOf(method)
  const text = words.join(' ')
  // A word with blanks inside would fall apart into several.
  const isWhole = words.every((word) => !/\s/.test(word) && !PLACEHOLDER.test(word))
  const stated = isWhole ? statedCommand(text) : null
  const remote = remoteInstallation({ name, url: method.url, transport: transportIn(method.type) })
  if (stated !== null) return [commandInstallation(stated), remote]
  const started = startedPackage(text)
  // An image without its flags would wait for variables that it never gets.
  return [started && started.from !== 'oci' ? packageInstallation(started) : null, remote]
}
