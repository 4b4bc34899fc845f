import { type ContributionFormat, FORMATS } from '../import/contribution.ts'
import type { Origin } from '../import/origin.ts'
import { addressOfUrl, rootOfUrl } from '../import/reading.ts'
import type { Source } from './source.ts'

/** How a source is fetched, and whose its records are. */
export type SourceLocation = Origin & {
  readonly protocol: 'pages' | 'archive' | 'file'
  readonly url: URL
  /** Path inside the origin; empty for an archive, which has many. */
  readonly path: string
  /** Formats whose records are taken: a list of skills must not speak for what Atrium curates. */
  readonly formats: ReadonlySet<ContributionFormat>
  /** Which files of an archive are read. */
  readonly reads: RegExp
}

const PLUGINS: readonly ContributionFormat[] = ['marketplace', 'plugin-manifest', 'skill']
const PLUGIN_FILES = /(?:^|\/)(?:marketplace\.json|plugin\.json|skill\.md)$/i

/** What each kind of source holds. */
const CONTENTS: Readonly<Record<Source['kind'], { formats: readonly ContributionFormat[]; reads: RegExp }>> = {
  MCP_REGISTRY: { formats: ['registry'], reads: /$^/ },
  DOCKER_CATALOGUE: { formats: ['docker'], reads: /(?:^|\/)server\.ya?ml$/i },
  TOOLHIVE_REGISTRY: { formats: ['toolhive'], reads: /(?:^|\/)spec\.ya?ml$/i },
  PLUGIN_MARKETPLACE: { formats: PLUGINS, reads: PLUGIN_FILES },
  SKILL_REPOSITORY: { formats: PLUGINS, reads: PLUGIN_FILES },
  FILE: { formats: FORMATS, reads: /\.(?:json|ya?ml|md)$/i },
}

/** Kinds whose address is a repository unless it names a file. */
const ARCHIVED: ReadonlySet<Source['kind']> = new Set(['DOCKER_CATALOGUE', 'TOOLHIVE_REGISTRY', 'SKILL_REPOSITORY'])

const REPOSITORY = /^\/([A-Za-z0-9-]{1,39})\/([A-Za-z0-9._-]{1,100}?)(?:\.git)?\/?(?:tree\/([A-Za-z0-9._/-]{1,200}?)\/?)?$/
const RAW = /^\/([A-Za-z0-9-]{1,39})\/([A-Za-z0-9._-]{1,100})\/(?:refs\/heads\/)?[^/]+\/(.+)$/

/** Where a source is, by its kind and address. */
export function locationOf({ kind, address, repository }: Pick<Source, 'kind' | 'address' | 'repository'>): SourceLocation {
  const url = new URL(address)
  const { formats, reads } = CONTENTS[kind]
  const content = { formats: new Set(formats), reads }
  // A registry speaks for its host; a file or archive could claim any name there.
  if (kind === 'MCP_REGISTRY') {
    const { origin, path } = addressOfUrl(url)
    return { protocol: 'pages', url, origin, path, root: rootOfUrl(url), ...content }
  }
  const [, owner, repo, ref = 'HEAD'] = url.hostname === 'github.com' ? (REPOSITORY.exec(url.pathname) ?? []) : []
  if (owner !== undefined && repo !== undefined) {
    const archive = new URL(`https://codeload.github.com/${owner}/${repo}/tar.gz/${ref}`)
    return { protocol: 'archive', url: archive, origin: repository ?? `${owner}/${repo}`, path: '', root: address, ...content }
  }
  const [, rawOwner, rawRepo, rawPath] = url.hostname === 'raw.githubusercontent.com' ? (RAW.exec(url.pathname) ?? []) : []
  const origin = repository ?? (rawOwner === undefined ? address : `${rawOwner}/${rawRepo}`)
  const isArchive = /\.(?:tar\.gz|tgz)$|\/tar\.gz\//.test(url.pathname) || (ARCHIVED.has(kind) && !reads.test(url.pathname))
  const path = isArchive ? '' : (rawPath ?? filePath(url))
  return { protocol: isArchive ? 'archive' : 'file', url, origin, path, root: address, ...content }
}

/** Path of a file with an ending that is read: JSON where the address has none. */
function filePath({ pathname }: URL): string {
  const path = pathname.replace(/^\/+/, '')
  return /\.(?:json|ya?ml|md)$/i.test(path) ? path : `${path || 'file'}.json`
}
