import type { Contribution, Reader, Skip, SourceFile } from './contribution.ts'
import { type EcosystemPath, parseEcosystemPath } from './ecosystem.ts'
import { licensed } from './license.ts'
import { folderUrl, identityOfOrigin, isRepository, resolveFolder } from './link.ts'
import { asList, asRecord } from './shape.ts'
import { cleanTags, cleanText, slugOf } from './text.ts'
import { cleanUrl, repositoryOf } from './url.ts'

/**
 * Where the files of a plugin lie: `folder` inside the marketplace's own repository, or null; `url`
 * for people.
 */
type Location = { readonly folder: string | null; readonly url: string | null }

/** A name that is safe in a pasted command; a first `-` would be an option. */
const PASTEABLE = /^[A-Za-z0-9._@/][A-Za-z0-9._@/-]*$/

/** Agents whose command line installs from a marketplace with `/plugin`. */
const WITH_PLUGIN_COMMAND = new Set(['claude-code', 'copilot'])

/** marketplace.json: a list of plugins and where each of them lies. */
export const marketplaceReader: Reader = {
  format: 'marketplace',
  recognises: (content, { path }) => {
    const plugins = asRecord(content)?.plugins
    return Array.isArray(plugins)
      ? plugins.length === 0 || plugins.some((entry) => asRecord(entry)?.source !== undefined)
      : asRecord(content) !== null && /(^|\/)marketplace\.json$/.test(path)
  },
  read: (content, file) => {
    const marketplace = asRecord(content)
    const place = parseEcosystemPath(file.path)
    if (!Array.isArray(marketplace?.plugins)) return { contributions: [], skipped: [fault(file, 'has no list `plugins`')] }
    if ('unknown' in place) {
      return {
        contributions: [],
        skipped: [fault(file, `belongs to the ecosystem of ${place.unknown}, which is unknown`)],
      }
    }
    // One ecosystem leaves the name out: the repository has one.
    const name = cleanText(marketplace.name, 200) ?? file.origin.split('/').at(-1) ?? ''
    const slug = slugOf(name)
    if (slug === '') return { contributions: [], skipped: [fault(file, 'needs a `name` with letters or digits')] }
    return readEntries(marketplace, { file, place, name, slug })
  },
}

type Marketplace = {
  readonly file: SourceFile
  readonly place: Exclude<EcosystemPath, { unknown: string }>
  readonly name: string
  readonly slug: string
}

function readEntries(content: Readonly<Record<string, unknown>>, marketplace: Marketplace) {
  const pluginRoot = asRecord(content.metadata)?.pluginRoot
  const base = typeof pluginRoot === 'string' ? resolveFolder(marketplace.place.base, pluginRoot) : marketplace.place.base
  const contributions: Contribution[] = []
  const skipped: Skip[] = []
  const taken = new Set<string>()
  for (const [index, value] of asList(content.plugins).entries()) {
    const read = base === null ? '`metadata.pluginRoot` leads outside the repository' : readEntry(value, base, marketplace)
    if (typeof read === 'string') {
      const entry = asRecord(value)
      const locator = locatorOf(slugOf(cleanText(entry?.name ?? entry?.id, 200) ?? ''))
      skipped.push({ ...fault(marketplace.file, `plugins[${index}]: ${read}`), locator })
    } else if (taken.has(read.statement.identity)) {
      skipped.push(fault(marketplace.file, `plugins[${index}]: an earlier plugin has the same name`))
    } else {
      taken.add(read.statement.identity)
      contributions.push(read)
    }
  }
  return { contributions, skipped }
}

/** One plugin, or why it is skipped. */
function readEntry(value: unknown, base: string, marketplace: Marketplace): Contribution | string {
  const entry = asRecord(value)
  if (!entry) return 'is not an object'
  const id = cleanText(entry.name ?? entry.id, 200)
  const slug = slugOf(id ?? '')
  if (id === null || slug === '') return 'needs a `name` with letters or digits'
  const location = locate(entry.source, base, marketplace.file.origin)
  if (typeof location === 'string') return location
  const sourceUrl = location.url ?? cleanUrl(entry.repository) ?? cleanUrl(entry.homepage)
  if (sourceUrl === null)
    return 'has no address: its marketplace is in no known repository, and it names neither repository nor homepage'

  const { file, place } = marketplace
  return {
    origin: file.origin,
    path: file.path,
    // Not the position: one new plugin moves all others.
    locator: locatorOf(slug),
    format: 'marketplace',
    statement: {
      kind: 'PLUGIN',
      identity: pluginIdentity(file.origin, marketplace.slug, slug),
      key: `${marketplace.slug}/${slug}`,
      marketplaceSlug: marketplace.slug,
      slug,
      name: cleanText(entry.displayName, 200) ?? id,
      description: cleanText(entry.description, 2_000),
      category: cleanText(entry.category, 100),
      tags: cleanTags([...words(entry.tags), ...words(entry.keywords)]),
      stars: null,
      ...licensed(entry.license),
      ecosystem: place.ecosystem,
      installCommand: installCommand(id, marketplace),
      sourceUrl,
      folder: location.folder,
    },
  }
}

const locatorOf = (slug: string): string => `plugins/${slug}`

/** Names the same plugin in every file of one repository that lists it. */
export const pluginIdentity = (origin: string, marketplaceSlug: string, slug: string): string =>
  `${identityOfOrigin(origin)}!${marketplaceSlug}/${slug}`

const words = (value: unknown): readonly unknown[] => (typeof value === 'string' ? value.split(',') : asList(value))

/**
 * Null where no command is known: other agents, marketplaces inside a subfolder, names that are not
 * safe to paste.
 */
function installCommand(id: string, { file, place, name }: Marketplace): string | null {
  const usable = isRepository(file.origin) && place.base === '' && WITH_PLUGIN_COMMAND.has(place.ecosystem)
  if (!usable || ![file.origin, id, name].every((word) => PASTEABLE.test(word))) return null
  return `/plugin marketplace add ${file.origin}\n/plugin install ${id}@${name}`
}

/** Reads `source` in each of its forms, or returns why it is refused. */
function locate(source: unknown, base: string, origin: string): Location | string {
  if (typeof source === 'string') return locateText(source, base, origin)
  const record = asRecord(source)
  if (!record) return 'needs a `source`'
  const form = LOCATORS.get(record.source)
  return form ? form(record, base, origin) : '`source.source` is none of github, url, git-subdir, npm, local'
}

function locateText(source: string, base: string, origin: string): Location | string {
  if (/^[a-z][a-z0-9+.-]*:|^git@|^\/\//i.test(source)) return locateUrl(source, null, null)
  const folder = resolveFolder(base, source)
  return folder === null ? '`source` leads outside the repository' : { folder, url: folderUrl(origin, folder) }
}

function locateUrl(value: unknown, ref: unknown, path: unknown): Location | string {
  const repository = repositoryOf(value)
  const folder = typeof path === 'string' ? resolveFolder('', path) : (repository?.subfolder ?? '')
  if (folder === null) return '`source.path` leads outside the repository'
  if (repository?.host === 'github.com') {
    return { folder: null, url: folderUrl(`${repository.owner}/${repository.repo}`, folder, refOf(ref)) }
  }
  const url = cleanUrl(value)?.replace(/\.git$/, '') ?? null
  return url === null ? '`source` is not an http or https address' : { folder: null, url }
}

const refOf = (ref: unknown): string =>
  typeof ref === 'string' && /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/.test(ref) ? ref : 'HEAD'

type Locate = (record: Readonly<Record<string, unknown>>, base: string, origin: string) => Location | string

/** The forms of `source` as an object, by its own `source`. */
const LOCATORS: ReadonlyMap<unknown, Locate> = new Map<unknown, Locate>(
  Object.entries<Locate>({
    github: ({ repo, ref, path }) =>
      typeof repo === 'string' && isRepository(repo)
        ? locateUrl(`https://github.com/${repo}`, ref, path)
        : '`source.repo` is not owner/repository',
    url: ({ url, ref, path }, base, origin) =>
      typeof url === 'string' && url.startsWith('.') ? locateText(url, base, origin) : locateUrl(url, ref, path),
    'git-subdir': ({ url, ref, path }) =>
      locateUrl(typeof url === 'string' && isRepository(url) ? `https://github.com/${url}` : url, ref, path),
    local: ({ path }, base, origin) => (typeof path === 'string' ? locateText(path, base, origin) : '`source.path` is missing'),
    npm: ({ package: name }) =>
      typeof name === 'string' && /^(@[a-z0-9._~-]+\/)?[a-z0-9._~-]+$/i.test(name)
        ? { folder: null, url: `https://www.npmjs.com/package/${name}` }
        : '`source.package` is not the name of an npm package',
  }),
)

const fault = ({ origin, path }: SourceFile, reason: string): Skip => ({ origin, path, line: null, reason })
