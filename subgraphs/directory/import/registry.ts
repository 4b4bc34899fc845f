import type { RegisteredServer } from '../item/item.ts'
import type { Contribution, Reader, Skip, SourceFile, Statement } from './contribution.ts'
import { remoteInstallation } from './installation.ts'
import { isHost } from './link.ts'
import { registryPackage, runtimeVariables } from './registry-package.ts'
import { serverStatement, transportIn, variablesIn } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { repositoryOf } from './url.ts'
import { compareVersions } from './version.ts'

/** An entry of any of the three shapes, brought into one. */
type Entry = {
  readonly server: Readonly<Record<string, unknown>>
  readonly locator: string
  readonly isOld: boolean
  readonly official: Readonly<Record<string, unknown>>
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official'

/**
 * server.json of the MCP registry: the list of the old seed (`version_detail`), one record of today
 * (`$schema`, `name`, `version`), and a page of the API (`servers` with `_meta`). Of several
 * versions only the latest counts.
 */
export const registryReader: Reader = {
  format: 'registry',
  recognises: (content) => entriesOf(content).length > 0,
  read: (content, file) => {
    const contributions: Contribution[] = []
    const skipped: Skip[] = []
    const skip = (locator: string, reason: string) =>
      skipped.push({
        origin: file.origin,
        path: file.path,
        line: null,
        reason: locator === '' ? reason : `${locator}: ${reason}`,
      })
    const entries = entriesOf(content)
    const places = new Set(entries.map(({ locator }) => locator))
    for (const place of placesOf(content)) if (!places.has(place)) skip(place, 'is no record of a server')
    for (const entry of latestOf(entries)) {
      const statement = statementOf(entry, isHost(file.origin))
      if (typeof statement === 'string') skip(entry.locator, statement)
      else contributions.push({ ...addressOf(file), locator: entry.locator, format: 'registry', statement })
    }
    return { contributions, skipped }
  },
}

const addressOf = ({ origin, path }: SourceFile) => ({ origin, path })

function entriesOf(content: unknown): readonly Entry[] {
  const top = asRecord(content)
  if (top && Array.isArray(top.servers)) {
    return top.servers.flatMap((value, index) => {
      const wrapper = asRecord(value)
      const server = asRecord(wrapper?.server)
      return server
        ? [
            {
              server,
              locator: `servers[${index}]`,
              isOld: isOld(server),
              official: asRecord(asRecord(wrapper?._meta)?.[OFFICIAL]) ?? {},
            },
          ]
        : []
    })
  }
  if (Array.isArray(content)) {
    return content.flatMap((value, index) => {
      const server = asRecord(value)
      return server && (isOld(server) || isCurrent(server))
        ? [{ server, locator: `[${index}]`, isOld: isOld(server), official: {} }]
        : []
    })
  }
  return top && (isCurrent(top) || isOld(top)) ? [{ server: top, locator: '', isOld: isOld(top), official: {} }] : []
}

/** Where the records of a list should be. */
function placesOf(content: unknown): readonly string[] {
  const rows = asRecord(content)?.servers
  if (Array.isArray(rows)) return rows.map((_, index) => `servers[${index}]`)
  return asList(content).map((_, index) => `[${index}]`)
}

/**
 * Text of a field; empty for anything else. A value without a prototype can not even be turned into
 * text.
 */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const isOld = (server: Readonly<Record<string, unknown>>): boolean =>
  asRecord(server.version_detail) !== null && typeof server.name === 'string'
/**
 * A name in a name space, and a place to get it from: package.json and others have the one or the
 * other.
 */
const isCurrent = (server: Readonly<Record<string, unknown>>): boolean =>
  typeof server.name === 'string' &&
  /^[^/\s.]+\.[^/\s]+\/[^/\s]+$/.test(server.name) &&
  (Array.isArray(server.packages) || Array.isArray(server.remotes) || asRecord(server.repository) !== null)

/** One entry per name: the one marked as latest, else the highest version. */
function latestOf(entries: readonly Entry[]): readonly Entry[] {
  const latest = new Map<string, Entry>()
  for (const entry of entries) addLatest(latest, entry)
  return [...latest.values()]
}

function addLatest<Versioned extends Entry>(latest: Map<string, Versioned>, entry: Versioned): void {
  // The old seed has records without a name: each is reported by itself.
  const name = textOf(entry.server.name) || entry.locator
  const known = latest.get(name)
  if (!known || isNewer(entry, known)) latest.set(name, entry)
}

/** Longer versions are none. UTF-16 units. */
const MAX_VERSION_LENGTH = 200

/**
 * Which rows of a list that is given in parts are the latest of their names; keeps of each name only
 * what versions are compared by. Rows that are no records are kept, to be reported.
 */
export function latestRows(): {
  readonly add: (rows: readonly unknown[]) => void
  /** By position in the whole list, once all parts were added. */
  readonly isWanted: (position: number) => boolean
} {
  const latest = new Map<string, Entry & { readonly position: number }>()
  const records = new Set<number>()
  let positions: ReadonlySet<number> | null = null
  let count = 0
  return {
    add(rows) {
      for (const [index, row] of rows.entries()) {
        const [entry] = entriesOf({ servers: [row] })
        if (!entry) continue
        const { server, official, isOld: old } = entry
        const { name, version, version_detail } = server
        const { isLatest, publishedAt } = official
        const position = count + index
        records.add(position)
        const detail = asRecord(version_detail)
        const compared = {
          name: textOf(name),
          version: textOf(version ?? detail?.version).slice(0, MAX_VERSION_LENGTH),
          version_detail: { is_latest: detail?.is_latest === true },
        }
        addLatest(latest, {
          server: compared,
          official: { isLatest: isLatest === true, publishedAt: textOf(publishedAt).slice(0, MAX_VERSION_LENGTH) },
          isOld: old,
          locator: `servers[${position}]`,
          position,
        })
      }
      count += rows.length
    },
    isWanted(position) {
      positions ??= new Set([...latest.values()].map((entry) => entry.position))
      return positions.has(position) || !records.has(position)
    },
  }
}

function isNewer(one: Entry, other: Entry): boolean {
  const isLatest = ({ official, server }: Entry) =>
    official.isLatest === true || asRecord(server.version_detail)?.is_latest === true
  if (isLatest(one) !== isLatest(other)) return isLatest(one)
  const versionOf = ({ server }: Entry) => textOf(server.version ?? asRecord(server.version_detail)?.version)
  const publishedOf = ({ official }: Entry) => textOf(official.publishedAt)
  return (compareVersions(versionOf(one), versionOf(other)) ?? (publishedOf(one) > publishedOf(other) ? 1 : -1)) > 0
}

/** Characters of names and versions in the registry's schema. */
const REGISTERED_NAME = /^[A-Za-z0-9.-]{1,100}\/[A-Za-z0-9._-]{1,100}$/
const REGISTERED_VERSION = /^[A-Za-z0-9._+-]{1,100}$/

/** A registry has verified who may use the name space. */
function registeredIn(
  { name, version }: Readonly<Record<string, unknown>>,
  official: Readonly<Record<string, unknown>>,
): RegisteredServer | null {
  if (official.status === undefined || typeof name !== 'string' || !REGISTERED_NAME.test(name)) return null
  return { name, version: typeof version === 'string' && REGISTERED_VERSION.test(version) ? version : null }
}

/** `isVerified`: a registry answered it. A file can look like an answer, and claim any name. */
function statementOf({ server, isOld: old, official }: Entry, isVerified: boolean): Statement | string {
  if (official.status === 'deleted') return 'is marked as deleted'
  const packages = asList(server.packages).map((value) => asRecord(value) ?? {})
  const remotes = asList(server.remotes).map((value) => asRecord(value) ?? {})
  const variables = packages.flatMap((one) => [
    ...variablesIn(old ? one.environment_variables : one.environmentVariables, (fields) => ({
      required: fields.isRequired === true || fields.is_required === true,
      secret: fields.isSecret === true || fields.is_secret === true,
    })),
    ...runtimeVariables(one),
  ])
  const name = textOf(server.name)
  const repository = asRecord(server.repository) ?? {}
  const [remote] = remotes
  // The old list has addresses on the author's own machine.
  const reachable = remotes.filter(({ url }) => typeof url === 'string' && !LOCAL_ADDRESS.test(url))
  return serverStatement({
    registered: isVerified ? registeredIn(server, official) : null,
    repository: repository.url,
    subfolder: repository.subfolder,
    names: [...packages.map((one) => one.identifier ?? one.name), name],
    title: server.title,
    description: server.description,
    tags: [],
    official: null,
    transport: transportOf(remote, packages[0], old),
    installations: [
      ...packages.map((one) =>
        registryPackage(
          one,
          variables.map(({ name: variable }) => variable),
        ),
      ),
      ...reachable.map(({ type, transport_type, url }) =>
        remoteInstallation({ name: labelOf(name), url, transport: transportIn(type ?? transport_type) }),
      ),
    ],
    byPublisher: isVerified && isByPublisher(name, repository.url, official),
    envVars: variables,
    remoteUrl: reachable[0]?.url,
    docs: [server.websiteUrl],
    deprecated: official.status === 'deprecated' ? true : official.status === 'active' ? false : null,
  })
}

const LOCAL_ADDRESS = /^https?:\/\/(localhost|127\.|\[?::1)/i

const labelOf = (name: string): string => name.split('/').at(-1) ?? name

/**
 * Whether the registry's API vouches for the publisher: it lets only the owner of a GitHub account
 * publish below `io.github.<account>`.
 */
function isByPublisher(name: string, url: unknown, official: Readonly<Record<string, unknown>>): boolean {
  const owner = repositoryOf(url)?.owner.toLowerCase()
  return official.status !== undefined && owner !== undefined && name.toLowerCase().startsWith(`io.github.${owner}/`)
}

function transportOf(
  remote: Readonly<Record<string, unknown>> | undefined,
  first: Readonly<Record<string, unknown>> | undefined,
  old: boolean,
) {
  if (remote) return transportIn(remote.type) ?? transportIn(remote.transport_type) ?? (first ? 'stdio' : 'unknown')
  if (first) return old ? 'stdio' : transportIn(asRecord(first.transport)?.type)
  return null
}
