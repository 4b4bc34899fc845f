import type { RegistryEntry, RegistryPackage, RegistryRemote } from '#generated/directory/resolvers.ts'
import { startedPackage } from '../import/command.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { Installation, McpServer } from '../item/item.ts'
import { CHEAP, createPace } from '../word-index/pace.ts'

/** Longest description that the registry's format allows, in characters. */
const MAX_DESCRIPTION_LENGTH = 100
/** Where no source states a version: the format wants one. */
const UNKNOWN_VERSION = '0.0.0'

const REMOTE = /^claude mcp add --transport \S+ \S+ (https?:\/\/\S+)$/
const RUNTIMES = { npm: 'npx', pypi: 'uvx', nuget: 'dnx', oci: 'docker' } as const
/** An option of `docker run` with its value. */
const CONTAINER_OPTION = / (-[pve]) (\S+)/g

type Names = { readonly nameOf: ReadonlyMap<McpServer, string>; readonly byName: ReadonlyMap<string, McpServer> }

/** Names of the servers of a catalogue; as long as it lives, once somebody wants them. */
const NAMES = new WeakMap<Catalogue, Promise<Names>>()

function namesOf(catalogue: Catalogue): Promise<Names> {
  const names = NAMES.get(catalogue) ?? namesIn(catalogue.list('MCP_SERVER'))
  NAMES.set(catalogue, names)
  return names
}

/** Names them, with pauses. */
async function namesIn(servers: readonly McpServer[]): Promise<Names> {
  const pace = createPace()
  const [nameOf, byName] = [new Map<McpServer, string>(), new Map<string, McpServer>()]
  // Signs that the format does not know become one: many keys may look alike then.
  const numbers = new Map<string, number>()
  // A name that a registry has verified is never lost to one that is made here.
  const inOrder = [...servers.filter(({ registered }) => registered), ...servers.filter(({ registered }) => !registered)]
  for (const server of inOrder) {
    const wanted = server.registered?.name ?? wantedName(server)
    let [name, number] = [wanted, numbers.get(wanted.toLowerCase()) ?? 2]
    for (; byName.has(name.toLowerCase()); number += 1) name = `${wanted}-${number}`
    numbers.set(wanted.toLowerCase(), number)
    nameOf.set(server, name)
    byName.set(name.toLowerCase(), server)
    const pause = pace(CHEAP * 2)
    if (pause) await pause
  }
  return { nameOf, byName }
}

/** The server with this name, without regard to case; null when there is none. */
export const serverNamed = async (name: string, catalogue: Catalogue): Promise<McpServer | null> =>
  (await namesOf(catalogue)).byName.get(name.toLowerCase()) ?? null

/** `io.github.owner/repo`: who controls the repository or the domain may use the namespace. */
function wantedName({ owner, repo, repoUrl }: McpServer): string {
  const [, forge, account = ''] = /^https:\/\/(github|gitlab)\.com\/([^/]+)/.exec(repoUrl ?? '') ?? []
  const space =
    forge === 'github'
      ? `io.github.${account}`
      : forge === 'gitlab'
        ? `com.gitlab.${account}`
        : owner.includes('.')
          ? owner.split('.').reverse().join('.')
          : `directory.${owner}`
  return `${space.replace(/[^A-Za-z0-9.-]+/g, '-')}/${repo.replace(/[^A-Za-z0-9._-]+/g, '-')}`
}

/** The server in the words of the registry. */
export async function registryEntryOf(server: McpServer, catalogue: Catalogue): Promise<RegistryEntry> {
  const packages = server.installations.flatMap((one) => packageOf(one) ?? [])
  const text = server.description || server.name
  return {
    name: (await namesOf(catalogue)).nameOf.get(server) ?? wantedName(server),
    version: server.registered?.version ?? packages.find(({ version }) => version != null)?.version ?? UNKNOWN_VERSION,
    description:
      text.length <= MAX_DESCRIPTION_LENGTH
        ? text
        : `${text
            .slice(0, MAX_DESCRIPTION_LENGTH - 1)
            .toWellFormed()
            .trimEnd()}…`,
    packages,
    remotes: remotesOf(server.installations),
  }
}

/** Addresses of a server, the recommended first. */
export const remotesOf = (installations: readonly Installation[]): RegistryRemote[] =>
  installations.flatMap((one) => remoteOf(one) ?? [])

function remoteOf({ command, transport }: Installation): RegistryRemote | null {
  const [, url] = REMOTE.exec(command) ?? []
  return url === undefined ? null : { type: transport === 'sse' ? 'sse' : 'streamable-http', url }
}

/** The package of a command that speaks over stdio: others need a port, which the format wants as an address. */
function packageOf({ command, transport }: Installation): RegistryPackage | null {
  const bare = command.replace(CONTAINER_OPTION, '')
  const started = transport === 'stdio' ? startedPackage(bare) : null
  if (started === null) return null
  const { from, name } = started
  const [, identifier = name, version = null] = from === 'oci' ? [] : (/^(.+?)(?:==|@)([^=@]+)$/.exec(name) ?? [])
  const behind = bare.slice(bare.indexOf(name) + name.length).trim()
  return {
    registryType: from,
    identifier,
    version,
    runtimeHint: RUNTIMES[from],
    runtimeArguments: [...command.matchAll(CONTAINER_OPTION)].flatMap(([, option = '', value = '']) =>
      // Variables are told apart: `environmentVariables`.
      option === '-e' && !value.includes('=') ? [] : [option, value],
    ),
    packageArguments: behind === '' || (from === 'nuget' && behind === '--yes') ? [] : behind.split(' '),
  }
}
