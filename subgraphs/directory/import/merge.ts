import type { EntryDetail, Kind, McpServerDetail, PluginDetail, Provenance, SkillDetail } from '../item/item.ts'
import { ECOSYSTEMS, UNCATEGORIZED } from '../item/item.ts'
import { isLicense } from '../item/license.ts'
import { categorise, categoryOf } from './category.ts'
import { fallbackCommand } from './command.ts'
import type { Contribution, Skip, Statement } from './contribution.ts'
import { serverDocsUrl, skillDocsUrl } from './docs-url.ts'
import { type OfferedFeatures, toolNamesOf } from './features.ts'
import { type ContributionOf, type Fields, fieldsOf } from './field.ts'
import { commandInstallation, distinctInstallations } from './installation.ts'
import { isHost, repositoryOnGithub } from './link.ts'
import { type Listings, listingsOf, withManifests } from './listing.ts'
import { type Packages, packageStatement } from './own-package.ts'
import { byPrecedence, compare, isByPublisher, rankOf } from './precedence.ts'
import { splitRepositories } from './repository-split.ts'
import { plainText } from './text.ts'

/** What all contributions to one item amount to, before it has its key. */
export type Merged = {
  readonly kind: Kind
  readonly identity: string
  /** The key wanted by its source of highest precedence. */
  readonly wantedKey: string
  /** Rank of that source: the better rank gets a contested key. */
  readonly rank: number
  readonly name: string
  readonly description: string
  readonly category: string
  readonly originalCategory: string | null
  readonly tags: readonly string[]
  readonly popularity: number
  readonly license: string | null
  /** Complete but for the parts of the key. */
  readonly detail: Detail
  readonly provenance: readonly Provenance[]
  /** Its most believed contribution, for messages. */
  readonly from: Contribution
}

type Detail =
  | Omit<McpServerDetail, 'owner' | 'repo'>
  | Omit<PluginDetail, 'marketplaceSlug' | 'slug'>
  | Omit<SkillDetail, 'slug'>
  | Omit<EntryDetail, 'slug'>

/** Stars of repositories by "owner/repository" in lower case, as `--stars` files and GitHub gave them. */
export type Stars = ReadonlyMap<string, number>

/** SPDX identifiers by "owner/repository" in lower case, as GitHub recognised them. */
export type Licenses = ReadonlyMap<string, string>

const NONE: ReadonlySet<string> = new Set()
const NO_LICENSES: Licenses = new Map()
const NO_PACKAGES: Packages = new Map()

type Of<K extends Kind> = Extract<Statement, { kind: K }>

/** More than this is not a list for people. */
const MAX_TAGS = 30
const MAX_VARIABLES = 100
const MAX_INSTALLATIONS = 8

/**
 * Turns all contributions into items, sorted by kind and identity. A pure function of the set: the
 * order of the contributions changes nothing. `archived`: repositories that GitHub says are; `licenses`:
 * those of repositories; `packages`: those that were observed. `skipped` are manifests of plugins without a listing.
 */
export function merge(
  contributions: readonly Contribution[],
  stars: Stars,
  archived: ReadonlySet<string> = NONE,
  licenses: Licenses = NO_LICENSES,
  packages: Packages = NO_PACKAGES,
): { readonly items: readonly Merged[]; readonly skipped: readonly Skip[] } {
  const split = splitRepositories(contributions)
  const listings = listingsOf(split)
  const addressed = withManifests(split, listings)
  const groups = new Map<string, Contribution[]>()
  for (const contribution of addressed.contributions) {
    const { kind, identity } = contribution.statement
    const id = `${kind} ${identity}`
    const group = groups.get(id)
    if (group) group.push(contribution)
    else groups.set(id, [contribution])
  }
  const items = [...groups]
    .sort(([one], [other]) => compare(one, other))
    .map(([, group]) => mergeGroup(group.sort(byPrecedence), listings, { stars, archived, licenses, packages }))
  return { items, skipped: addressed.skipped }
}

type Observations = {
  readonly stars: Stars
  readonly archived: ReadonlySet<string>
  readonly licenses: Licenses
  readonly packages: Packages
}

function mergeGroup(group: readonly Contribution[], listings: Listings, observed: Observations): Merged {
  const { stars, archived, licenses, packages } = observed
  const [best] = group
  if (!best) throw new Error('Expected a group to have at least one contribution.')
  const { kind, identity, key } = best.statement
  const fields = fieldsOf(group)
  const detail = detailOf(best, group, listings)
  const name = fields.first('name', (said) => said.name) ?? humanised(key)
  const description = fields.first('description', (said) => plainText(said.description)) ?? ''
  const tags = [...new Set(fields.all('tags', (said) => said.tags))].sort(compare).slice(0, MAX_TAGS)
  const spellings = group.flatMap(({ statement }) => statement.category ?? [])
  const [curated] = group.flatMap(
    (one) => (isCurated(one) && categoryOf(one.statement.category ?? '') !== null ? one.statement.category : null) ?? [],
  )
  const words = { name: `${name} ${key.split('/').at(-1)}`, tags, description }
  const { category, spelling } = categorise(spellings, words, curated)
  if (spelling !== null) fields.first('category', (said) => (said.category === spelling ? spelling : null))
  else if (category !== UNCATEGORIZED) fields.derived('category', 'keywords')

  const repository = repositoryOfItem(kind, identity, detail.value) ?? ''
  const counted = stars.get(repository)
  // Any source that says whether a server is maintained is believed more.
  const isUnstated = detail.provenance.every(({ field }) => field !== 'deprecated')
  const isArchived = kind === 'MCP_SERVER' && isUnstated && archived.has(repository)
  if (isArchived) fields.derived('deprecated', 'archived repository')
  const own = 'installations' in detail.value ? packageStatement(detail.value, repository, packages) : null
  const isWithdrawn = isUnstated && !isArchived && own?.isWithdrawn === true
  if (isWithdrawn) fields.derived('deprecated', 'package')
  const downloads = own?.monthlyDownloads ?? null
  if (downloads !== null) fields.derived('monthlyDownloads', 'package')
  const recognised = validLicense(licenses.get(repositoryWithFiles(detail.value) ?? ''))
  const stated = fields.first('license', (said) => validLicense(said.license))
  const published = validLicense(own?.license)
  if (stated === null && (recognised ?? published) !== null)
    fields.derived('license', recognised === null ? 'package' : 'repository')
  if (counted !== undefined) fields.derived('popularity', 'stars file')
  return {
    kind,
    identity,
    wantedKey: key,
    rank: rankOf(best.format),
    name,
    description,
    category,
    originalCategory: spelling ?? spellings[0] ?? null,
    tags,
    popularity: counted ?? fields.first('popularity', (said) => said.stars) ?? 0,
    license: stated ?? recognised ?? published,
    detail: {
      ...detail.value,
      ...((isArchived || isWithdrawn) && { deprecated: true }),
      ...(downloads !== null && { monthlyDownloads: downloads }),
    },
    provenance: [...fields.provenance(), ...detail.provenance].sort((one, other) => compare(one.field, other.field)),
    from: best,
  }
}

/** A licence that rows may have; null for others, which older versions stored: an item is not lost for its licence. */
const validLicense = (license: string | null | undefined): string | null =>
  license != null && isLicense(license) ? license : null

/** Curated by Atrium or the publisher: no catch-all, and before every rule. */
const isCurated = (one: Contribution): boolean => one.format === 'atrium' || isByPublisher(one)

const humanised = (key: string): string => (key.split('/').at(-1) ?? key).replace(/[-_.]+/g, ' ').trim()

/** "owner/repository" in lower case of the repository whose stars the item has. */
function repositoryOfItem(kind: Kind, identity: string, detail: Detail): string | null {
  return repositoryOnGithub(kind === 'MCP_SERVER' && 'repoUrl' in detail ? (detail.repoUrl ?? '') : `https://${identity}`)
}

/** "owner/repository" in lower case of the repository that its files are in; null when it is none on GitHub. */
function repositoryWithFiles(detail: Detail): string | null {
  return repositoryOnGithub(('repoUrl' in detail ? detail.repoUrl : 'sourceUrl' in detail ? detail.sourceUrl : null) ?? '')
}

type WithProvenance = { readonly value: Detail; readonly provenance: readonly Provenance[] }

function detailOf(best: Contribution, group: readonly Contribution[], listings: Listings): WithProvenance {
  switch (best.statement.kind) {
    case 'MCP_SERVER':
      return build(ofKind(group, 'MCP_SERVER'), serverDetail)
    case 'PLUGIN':
      return build(ofKind(group, 'PLUGIN'), pluginDetail)
    case 'SKILL':
      return build(ofKind(group, 'SKILL'), (fields, skills) => skillDetail(fields, skills, listings))
    case 'PERSONA':
    case 'BUNDLE':
    case 'AGENT':
    case 'GUIDE':
      return build(ofKind(group, best.statement.kind), (fields) => ({ url: fields.first('url', (said) => said.url) ?? '' }))
  }
}

function ofKind<K extends Kind>(group: readonly Contribution[], kind: K): readonly ContributionOf<Of<K>>[] {
  return group.filter((contribution): contribution is ContributionOf<Of<K>> => contribution.statement.kind === kind)
}

function build<S extends Statement>(
  group: readonly ContributionOf<S>[],
  make: (fields: Fields<S>, group: readonly ContributionOf<S>[]) => Detail,
): WithProvenance {
  const fields = fieldsOf(group)
  const value = make(fields, group)
  return { value, provenance: fields.provenance() }
}

function serverDetail(fields: Fields<Of<'MCP_SERVER'>>): Detail {
  const repoUrl = fields.first('repoUrl', (said) => said.repoUrl)
  const docsUrl = serverDocsUrl(fields, repoUrl)
  const installations = installationsOf(fields)
  if (installations.length === 0) fields.derived('installCommand', 'repository')
  return {
    // One curated list that knows the vendor is enough: the others only omit it.
    official:
      fields.first('official', (said) => said.official || null) ?? fields.first('official', (said) => said.official) ?? false,
    transport: installations[0]?.transport ?? statedTransport(fields),
    installCommand: installations[0]?.command ?? fallbackCommand(repoUrl, docsUrl),
    installations,
    envVars: mergeVariables(fields.all('envVars', (said) => said.envVars)),
    ...statedFeatures(fields),
    ...registeredAs(fields),
    docsUrl,
    repoUrl,
    // A source that calls a server maintained overrides those that call it archived.
    deprecated: fields.first('deprecated', (said) => said.deprecated) ?? false,
  }
}

/** The name under which clients of that registry know it; of a file, which may claim any, none. */
function registeredAs(fields: Fields<Of<'MCP_SERVER'>>): Pick<McpServerDetail, 'registered'> {
  const registered = fields.first('registryEntry', (said, origin) => (isHost(origin) && said.registered) || null)
  return registered === null ? {} : { registered }
}

/** The first list with descriptions, else the first list of names: lists are not mixed. */
function statedFeatures(
  fields: Fields<Of<'MCP_SERVER'>>,
): Pick<McpServerDetail, 'toolNames'> & { readonly features?: OfferedFeatures } {
  const features =
    fields.first(
      'features',
      (said) => (said.features?.tools.some(({ description }) => description !== null) && said.features) || null,
    ) ?? fields.first('features', (said) => said.features ?? null)
  return features === null ? {} : { toolNames: toolNamesOf(features), features }
}

/** All installations, those of the highest precedence first. */
function installationsOf(fields: Fields<Of<'MCP_SERVER'>>): McpServerDetail['installations'] {
  fields.first('installCommand', (said) => statedInstallations(said)[0] ?? null)
  return distinctInstallations(fields.all('installations', statedInstallations)).slice(0, MAX_INSTALLATIONS)
}

const statedInstallations = ({ installations, installCommand }: Of<'MCP_SERVER'>): McpServerDetail['installations'] =>
  installations ?? (installCommand === null ? [] : [commandInstallation(installCommand)])

const statedTransport = (fields: Fields<Of<'MCP_SERVER'>>): McpServerDetail['transport'] =>
  fields.first('transport', (said) => (said.transport === 'unknown' ? null : said.transport)) ?? 'unknown'

/**
 * Endings of names of secrets. Other keys are excluded by the word before; plurals such as
 * `MAX_TOKENS` are numbers.
 */
const SECRET_NAME = /(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|(?:API|ACCESS|SECRET)_?KEYS?|(?:^|_)(?:KEY|TOKEN|PWD|PAT))$/i
const PUBLIC_NAME = /(?:PUBLIC|PRIMARY|SORT|PARTITION|CACHE|PROJECT)_?KEY$/i

const isSecretName = (name: string): boolean => {
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2')
  return SECRET_NAME.test(words) && !PUBLIC_NAME.test(words)
}

/** By name; required or secret when any source or the name says so; with the first description. */
function mergeVariables(variables: McpServerDetail['envVars']): McpServerDetail['envVars'] {
  const byName = new Map<string, McpServerDetail['envVars'][number]>()
  for (const variable of variables) {
    const earlier = byName.get(variable.name)
    byName.set(variable.name, {
      name: variable.name,
      required: variable.required || earlier?.required === true,
      secret: variable.secret || earlier?.secret === true || isSecretName(variable.name),
      description: earlier?.description ?? variable.description,
    })
  }
  return [...byName.values()].sort((one, other) => compare(one.name, other.name)).slice(0, MAX_VARIABLES)
}

function pluginDetail(fields: Fields<Of<'PLUGIN'>>, group: readonly ContributionOf<Of<'PLUGIN'>>[]): Detail {
  const sourceUrl = fields.first('sourceUrl', (said) => said.sourceUrl) ?? ''
  const command = fields.first('installCommand', (said) => said.installCommand)
  if (command === null) fields.derived('installCommand', 'link')
  const listed = group.filter(({ format }) => format !== 'plugin-manifest')
  const said = new Set((listed.length > 0 ? listed : group).map(({ statement }) => statement.ecosystem))
  const ecosystems = ECOSYSTEMS.filter((ecosystem) => said.has(ecosystem))
  const ecosystem = ecosystems[0] ?? 'claude-code'
  fields.first('ecosystem', (statement) => (statement.ecosystem === ecosystem ? ecosystem : null))
  return { ecosystem, ecosystems, installCommand: command ?? sourceUrl, sourceUrl }
}

function skillDetail(fields: Fields<Of<'SKILL'>>, group: readonly ContributionOf<Of<'SKILL'>>[], listings: Listings): Detail {
  const docsUrl = skillDocsUrl(fields)
  // A SKILL.md has no installation: COMMUNITY is the default without another source.
  const stated = fields.first('source', (said) => (said.source === 'COMMUNITY' ? null : said.source))
  const listing = stated === null ? listings.around(group[0]?.statement.identity ?? '') : null
  if (listing) fields.noteSource('source', listing)
  return {
    source: stated ?? (listing ? 'PLUGIN' : 'COMMUNITY'),
    docsUrl,
    repoUrl: fields.first('repoUrl', (said) => said.repoUrl) ?? docsUrl,
  }
}
