import type { EnvVar, Installation, RegisteredServer, Transport } from '../item/item.ts'
import { startedPackage } from './command.ts'
import type { Statement } from './contribution.ts'
import { statedDocsUrl, withoutTemplates } from './docs-url.ts'
import { featuresIn, isEmpty, type RawFeatures } from './features.ts'
import { distinctInstallations } from './installation.ts'
import { licensed } from './license.ts'
import { resolveFolder } from './link.ts'
import { asList, asRecord } from './shape.ts'
import { cleanTags, cleanText, slugOf } from './text.ts'
import { cleanUrl, type Repository, repositoryOf, repositoryUrl } from './url.ts'
import { isVendor } from './vendor.ts'

/** What a reader found out about a server, as its source spells it. */
export type StatedServer = {
  /** Address of its repository or of a folder in it, in any spelling. */
  readonly repository?: unknown
  /** Folder inside the repository, where the source has it separately. */
  readonly subfolder?: unknown
  /** Names that identify it in its repository, the best first: package, image, name. */
  readonly names: readonly unknown[]
  /** Whether `names` are labels of the source: they identify no server by themselves. */
  readonly areLabels?: boolean
  readonly title?: unknown
  readonly description?: unknown
  readonly category?: unknown
  readonly tags?: unknown
  readonly stars?: unknown
  readonly license?: unknown
  readonly official?: boolean | null
  readonly transport?: Transport | null
  /** Installations, the best first; null for one that is not safe to paste. */
  readonly installations?: readonly (Installation | null | undefined)[]
  /** Whether the publisher of the server states this. */
  readonly byPublisher?: boolean
  readonly envVars?: readonly EnvVar[]
  /** Name and version in a registry. */
  readonly registered?: RegisteredServer | null
  /** Tools, prompts and resources that the source lists. */
  readonly features?: RawFeatures
  /** Address at which a remote server answers. */
  readonly remoteUrl?: unknown
  /** Addresses of documentation, the best first. */
  readonly docs?: readonly unknown[]
  readonly deprecated?: boolean | null
}

/** Repositories whose servers moved to another one, in lower case: both hold the same servers. */
const MOVED: ReadonlyMap<string, string> = new Map([
  ['github.com/modelcontextprotocol/servers-archived', 'github.com/modelcontextprotocol/servers'],
])

/** The statement of a server, or why there is none. */
export function serverStatement(stated: StatedServer): Statement | string {
  const repository = repositoryIn(stated)
  const remoteUrl = cleanUrl(stated.remoteUrl)
  const docsUrl = statedDocsUrl(stated.docs ?? [])
  const installations = distinctInstallations(stated.installations ?? [])
  const published = remoteUrl === null && docsUrl === null ? publishedAt(installations) : null
  const home = remoteUrl ?? docsUrl ?? published?.page ?? null
  if (!repository && home === null) return 'has neither a repository nor another address'

  const names = stated.names.flatMap((name) => cleanText(name, 200) ?? [])
  const features = featuresIn(stated.features ?? {})
  const place = repository
    ? placeInRepository(repository, stated.areLabels ? [] : names)
    : (published?.location ?? placeOnTheWeb(home ?? '', docsUrl, names))
  if (place === null) return 'has no name that fits into an address'
  const [owner, repo] = [place.owner, place.repo]
  return {
    kind: 'MCP_SERVER',
    identity: place.identity.toLowerCase(),
    key: `${owner}/${repo}`,
    owner,
    repo,
    name: cleanText(stated.title, 200),
    description: cleanText(withoutMarkup(stated.description), 2_000),
    category: cleanText(stated.category, 100),
    tags: cleanTags(stated.tags),
    stars: starsIn(stated.stars),
    ...licensed(stated.license),
    official: stated.official ?? (repository && isVendor(repository) ? true : null),
    transport: installations[0]?.transport ?? stated.transport ?? null,
    installCommand: installations[0]?.command ?? null,
    installations,
    ...(repository && stated.areLabels && { labels: names.map((name) => folded(partOf(name))).filter((label) => label !== '') }),
    ...(stated.byPublisher && { byPublisher: true as const }),
    envVars: stated.envVars ?? [],
    ...(!isEmpty(features) && { features }),
    ...(stated.registered && { registered: stated.registered }),
    docsUrl: docsUrl ?? (repository ? null : withoutTemplates(home ?? '')),
    repoUrl: repository ? folderAddress(repository) : null,
    deprecated: stated.deprecated ?? null,
  }
}

/** The identity of a server of this repository; `names` distinguish it from its neighbours. */
export const serverIdentity = (repository: Repository, names: readonly string[]): string =>
  (placeInRepository(repository, names)?.identity ?? repositoryKey(repository)).toLowerCase()

/** Tags at the start of a README, also truncated; other text in angle brackets stays. */
const MARKUP =
  /<\/?(a|b|br|center|code|div|em|h[1-6]|i|img|kbd|p|picture|source|span|strong|sub|sup|svg)\b[^<>]*(>|$)|!\[[^\]]*\]\([^)]*\)/gi

const withoutMarkup = (value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, 10_000).replace(MARKUP, ' ') : value

function repositoryIn({ repository, subfolder }: StatedServer): Repository | null {
  const found = repositoryOf(repository)
  const stated = cleanText(subfolder, 200)?.replace(/^\/+/, '') ?? ''
  // `a/../../..` would make a link to a neighbour's repository.
  const folder = /^[\w./@-]+$/.test(stated) ? resolveFolder('', stated) : null
  return found && { ...found, subfolder: folder || found.subfolder }
}

type ServerLocation = { readonly identity: string; readonly owner: string; readonly repo: string }

const repositoryKey = ({ host, owner, repo }: Repository): string => `${host}/${owner}/${repo}`

/** Folders of a repository's layout, which name no server. */
const LAYOUT_FOLDER =
  /^(?:src|packages?|servers?|apps?|mcp|mcp-servers?|lib|dist|main|cmd|python|py|typescript|ts|javascript|js|node|go|rust|java|examples?|experimental|readme\.md)$/i

/**
 * A server in a repository: `repository#part` where its folder, package or name differs from the
 * repository's. The merge, which has all sources, decides whether the repository holds several
 * (`splitRepositories`).
 */
function placeInRepository(repository: Repository, names: readonly string[]): ServerLocation | null {
  const { owner, repo, subfolder } = repository
  const own = repositoryKey(repository)
  const key = MOVED.get(own.toLowerCase()) ?? own
  const folder = subfolder?.split('/').findLast((name) => !LAYOUT_FOLDER.test(name)) ?? ''
  const part = [folder, ...names].map(partOf).find((name) => name !== '') ?? ''
  // A key has two parts: nested groups are one.
  const account = owner.replaceAll('/', '.')
  if (part === '' || folded(part) === folded(partOf(repo))) return { identity: key, owner: account, repo }
  return { identity: `${key}#${folded(part)}`, owner: account, repo: part }
}

const folded = (part: string): string => part.toLowerCase().replaceAll(/[-_.]/g, '')

/** The distinguishing part of a folder, package or image: `@x/mcp-server-git` is `git`. */
function partOf(name: string): string {
  const own = (name.toLowerCase().split('/').at(-1) ?? '').replace(/(?<=.)[@:].*$/, '').replace(/^awslabs\./, '')
  const bare = own.replace(/^(mcp-)?server-|^mcp-|^feedmob-|(-mcp)?-server$|-mcp$/g, '')
  return slugOf(bare) || slugOf(own)
}

/** Pages of published packages, by their manager. */
const PACKAGE_PAGES = {
  npm: 'https://www.npmjs.com/package/',
  pypi: 'https://pypi.org/project/',
  nuget: 'https://www.nuget.org/packages/',
  oci: 'https://hub.docker.com/r/',
} as const

/** Where a server is known that has nothing but a package; null when no command starts one. */
function publishedAt(
  installations: readonly Installation[],
): { readonly page: string; readonly location: ServerLocation } | null {
  for (const { command } of installations) {
    const started = startedPackage(command.replace(/ -[pve] \S+/g, ''))
    if (started === null) continue
    const name = started.name.replace(/(?<=.)(?:==|@|:(?!.*\/)).*$/, '')
    const [first = ''] = name.split('/')
    // An image with a host has its page there.
    const page = started.from === 'oci' && /[.:]/.test(first) ? `https://${name}` : `${PACKAGE_PAGES[started.from]}${name}`
    const owner = name.includes('/') ? slugOf(name.split('/').at(-2) ?? '') : started.from
    const repo = slugOf(name.split('/').at(-1) ?? '')
    if (owner !== '' && repo !== '') return { page, location: { identity: `${started.from}:${name}`, owner, repo } }
  }
  return null
}

const FORGE = /^(www\.)?(github|gitlab)\.com$/

/** Remote servers have no repository: the host is the owner. */
function placeOnTheWeb(home: string, docsUrl: string | null, names: readonly string[]): ServerLocation | null {
  const { host, pathname } = new URL(home)
  const shown = withoutTemplates(home) ?? docsUrl
  if (shown === null) return null
  const { hostname } = new URL(shown)
  const repo = names.map(partOf).find((name) => name !== '') ?? partOf(hostname)
  // The first path segment of a forge is an owner, also without a repository.
  const [first = ''] = FORGE.test(hostname) ? pathname.split('/').slice(1) : [hostname.replace(/^(www|mcp|api|app|docs)\./, '')]
  const owner = first.replace(/[^A-Za-z0-9.-]/g, '')
  return owner === '' || repo === '' ? null : { identity: `remote:${host}${pathname.replace(/(?<!\/)\/+$/, '')}`, owner, repo }
}

function folderAddress(repository: Repository): string {
  const root = repositoryUrl(repository)
  return repository.subfolder === null
    ? root
    : `${root}/tree/HEAD/${repository.subfolder.split('/').map(encodeURIComponent).join('/')}`
}

const starsIn = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Math.min(Number(value), 2_147_483_647) : null

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/
/** More would not be an interface for people. */
const MAX_VARIABLES = 100

/**
 * Variables of a list of `{ name, … }` or of names, or of an object from name to `{ … }`; other
 * entries are left out.
 */
export function variablesIn(
  value: unknown,
  flags: (fields: Readonly<Record<string, unknown>>) => { required: boolean; secret?: boolean },
): EnvVar[] {
  const record = asRecord(value)
  const pairs: (readonly [unknown, unknown])[] = record
    ? Object.entries(record)
    : asList(value).map((entry) =>
        typeof entry === 'string' ? [entry, null] : [asRecord(entry)?.name ?? asRecord(entry)?.env, entry],
      )
  return pairs.slice(0, MAX_VARIABLES).flatMap(([name, entry]) => {
    if (typeof name !== 'string' || !VARIABLE.test(name)) return []
    const fields = asRecord(entry) ?? {}
    const { required, secret = false } = flags(fields)
    return [{ name, required, secret, description: cleanText(fields.description, 500) }]
  })
}

/** A transport as sources spell it; null for a word that names none. */
export function transportIn(value: unknown): Transport | null {
  const word = typeof value === 'string' ? value.toLowerCase().replaceAll('_', '-') : ''
  if (word === 'stdio' || word === 'sse') return word
  return word === 'streamable-http' || word === 'streamablehttp' || word === 'http' ? 'streamable-http' : null
}
