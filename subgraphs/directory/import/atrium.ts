import { z } from 'zod'
import { ECOSYSTEMS, type Kind, TRANSPORTS } from '../item/item.ts'
import { statedLicense } from '../item/license.ts'
import { installCommand, shellWord } from './command.ts'
import type { Contribution, Reader, Skip, Statement } from './contribution.ts'
import { licensed } from './license.ts'
import { pluginIdentity } from './marketplace.ts'
import { serverIdentity } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { skillIdentity } from './skill.ts'
import { cleanTags, cleanText, slugOf } from './text.ts'
import { cleanUrl, repositoryOf } from './url.ts'

const text = (max: number) =>
  z.string().refine((value) => cleanText(value, max + 1)?.length === value.length, `text of 1 to ${max} characters on one line`)
const url = z.string().refine((value) => cleanUrl(value) !== null, 'an absolute http or https address')
const segment = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, 'a name of letters, digits, ".", "_" and "-"')
const slug = z.string().refine((value) => value !== '' && slugOf(value) === value, 'a name of a to z, digits and single hyphens')
const word = z.string().refine((value) => shellWord(value) !== null && !value.startsWith('-'), 'a name that is safe in a shell')
const repository = z.string().regex(/^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/, 'owner/repository')

const common = {
  description: text(2_000).optional(),
  category: text(100).optional(),
  tags: z.array(text(50)).max(30).optional(),
  license: z
    .string()
    .refine((value) => statedLicense(value) === value, 'an SPDX identifier such as Apache-2.0')
    .optional(),
}

const server = z.strictObject({
  kind: z.literal('mcp_server'),
  owner: segment,
  repo: segment,
  title: text(200),
  ...common,
  official: z.boolean().optional(),
  transport: z.enum(TRANSPORTS).optional(),
  install: z
    .strictObject({ npm: word.optional(), pypi: word.optional(), oci: word.optional(), remote: url.optional() })
    .optional(),
  args: z
    .array(
      z.string().refine((value) => shellWord(value.replace(/^--?(?=[A-Za-z])/, '')) !== null, 'a word that is safe in a shell'),
    )
    .max(30)
    .optional(),
  installCommand: z
    .string()
    .refine((value) => value.split(' ').every((part) => shellWord(part) !== null), 'a command of words that are safe in a shell')
    .optional(),
  envVars: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'the name of a variable'),
        required: z.boolean().optional(),
        secret: z.boolean().optional(),
        description: text(500).optional(),
      }),
    )
    .max(100)
    .optional(),
  docsUrl: url.optional(),
  repoUrl: url.optional(),
})

const plugin = z.strictObject({
  kind: z.literal('plugin'),
  marketplaceSlug: slug,
  marketplaceRepo: repository,
  slug,
  name: text(200),
  ...common,
  ecosystem: z.enum(ECOSYSTEMS),
  sourceUrl: url,
})

const SOURCES = { 'built-in': 'BUILT_IN', optional: 'OPTIONAL', community: 'COMMUNITY', plugin: 'PLUGIN', mcp: 'MCP' } as const

const skill = z.strictObject({
  kind: z.literal('skill'),
  slug,
  name: text(200),
  ...common,
  source: z.enum(['built-in', 'optional', 'community', 'plugin', 'mcp']),
  docsUrl: url,
  repoUrl: url,
})

const entry = z.strictObject({ kind: z.enum(['persona', 'bundle', 'agent', 'guide']), slug, name: text(200), ...common, url })

const record = z.discriminatedUnion('kind', [server, plugin, skill, entry])

type Stated = {
  readonly description?: string | undefined
  readonly category?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly license?: string | undefined
}

const about = ({ description, category, tags, license }: Stated) => ({
  description: cleanText(description, 2_000),
  category: category ?? null,
  tags: cleanTags(tags ?? []),
  stars: null,
  ...licensed(license),
})

/**
 * Our own format, for records that no other format can say, and for the seed: JSON, `{ "atrium":
 * "directory/1", "records": [ { "kind": … }, … ] }`. Fields have the names and meanings of the
 * schema.
 *
 * - `mcp_server`: owner, repo, title; optional description, category, tags, license, official, transport,
 *   install (one of npm, pypi, oci:
 *   the name of a package or image; or remote: a URL) or installCommand, args (words behind the package), envVars (name, required, secret, description), docsUrl,
 *   repoUrl (a folder of a repository with several servers is `…/tree/HEAD/folder`). At least one of the addresses.
 * - `plugin`: marketplaceSlug, marketplaceRepo (`owner/repository`), slug, name, ecosystem,
 *   sourceUrl; optional description,
 *   category, tags, license.
 * - `skill`: slug, name, source (`built-in`, `optional`, `community`, `plugin`, `mcp`), docsUrl,
 *   repoUrl; optional as above.
 * - `persona`, `bundle`, `agent`, `guide`: slug, name, url; optional as above.
 *
 * A record with an unknown field or a wrong value is skipped with a reason that names the field.
 */
export const atriumReader: Reader = {
  format: 'atrium',
  recognises: (content) => asRecord(content)?.atrium !== undefined,
  read: (content, file) => {
    const { atrium, records } = asRecord(content) ?? {}
    const skip = (reason: string): Skip => ({ origin: file.origin, path: file.path, line: null, reason })
    if (atrium !== 'directory/1')
      return { contributions: [], skipped: [skip('`atrium` is not "directory/1", the only version there is')] }
    if (!Array.isArray(records)) return { contributions: [], skipped: [skip('has no list `records`')] }
    const contributions: Contribution[] = []
    const skipped: Skip[] = []
    for (const [index, value] of asList(records).entries()) {
      const locator = `records[${index}]`
      const parsed = record.safeParse(value)
      const statement = parsed.success ? statementOf(parsed.data) : problemOf(parsed.error, value)
      if (typeof statement === 'string') skipped.push(skip(`${locator}: ${statement}`))
      else contributions.push({ origin: file.origin, path: file.path, locator, format: 'atrium', statement })
    }
    return { contributions, skipped }
  },
}

/** Problems of a value that is no record: the first of its faults. */
function problemOf(error: z.ZodError, value: unknown): string {
  const [issue] = error.issues
  if (!issue) return 'is not a record'
  const field = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return `unknown field ${issue.keys.map((key) => `\`${[field, cleanText(key, 50)].filter(Boolean).join('.')}\``).join(', ')}`
  if (field === '') return 'is not an object'
  return valueAt(issue.path, value) === undefined
    ? `\`${field}\` is missing`
    : `expected \`${field}\` to be ${expectationOf(issue)}`
}

/** What a path of the schema, not of the file, leads to. */
const valueAt = (path: readonly PropertyKey[], value: unknown): unknown =>
  // Any value but null and undefined can be read by key.
  path.reduce<unknown>((inner, name) => (inner as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[name], value)

/** What a field accepts, in words. */
function expectationOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`
    case 'invalid_union':
      return 'options' in issue ? `one of ${issue.options?.map(String).join(', ')}` : issue.message
    // Texts are bounded by rules of ours.
    case 'too_big':
      return `a list of at most ${issue.maximum} entries`
    default:
      return issue.message
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function statementOf(data: z.infer<typeof record>): Statement | string {
  switch (data.kind) {
    case 'mcp_server':
      return serverStatement(data)
    case 'plugin':
      return pluginStatement(data)
    case 'skill': {
      const { repo, subfolder, owner } = repositoryOf(data.repoUrl) ?? {}
      return {
        kind: 'SKILL',
        identity: owner === undefined ? `atrium:${data.slug}` : skillIdentity(`${owner}/${repo}`, subfolder ?? ''),
        key: data.slug,
        slug: data.slug,
        name: data.name,
        ...about(data),
        source: SOURCES[data.source],
        docsUrl: cleanUrl(data.docsUrl),
        repoUrl: cleanUrl(data.repoUrl),
      }
    }
    default: {
      // Kinds of the file format are those of the graph in lower case.
      const kind = data.kind.toUpperCase() as Exclude<Kind, 'MCP_SERVER' | 'PLUGIN' | 'SKILL'>
      // Wherever the file lies that states it.
      const identity = `${data.slug} ${cleanUrl(data.url)}`
      return { kind, identity, key: data.slug, slug: data.slug, name: data.name, ...about(data), url: cleanUrl(data.url) }
    }
  }
}

function pluginStatement(data: z.infer<typeof plugin>): Statement {
  const { owner, repo, subfolder } = repositoryOf(data.sourceUrl) ?? {}
  const own = `${owner}/${repo}`.toLowerCase() === data.marketplaceRepo.toLowerCase()
  const command = `/plugin marketplace add ${data.marketplaceRepo}\n/plugin install ${data.slug}@${data.marketplaceSlug}`
  return {
    kind: 'PLUGIN',
    identity: pluginIdentity(data.marketplaceRepo, data.marketplaceSlug, data.slug),
    key: `${data.marketplaceSlug}/${data.slug}`,
    marketplaceSlug: data.marketplaceSlug,
    slug: data.slug,
    name: data.name,
    ...about(data),
    ecosystem: data.ecosystem,
    installCommand: data.ecosystem === 'claude-code' || data.ecosystem === 'copilot' ? command : null,
    sourceUrl: cleanUrl(data.sourceUrl),
    folder: own ? (subfolder ?? '') : null,
  }
}

function serverStatement(data: z.infer<typeof server>): Statement | string {
  const { owner, repo } = data
  const docsUrl = cleanUrl(data.docsUrl)
  const repoUrl = cleanUrl(data.repoUrl)
  if (docsUrl === null && repoUrl === null) return 'needs `docsUrl` or `repoUrl`'
  const envVars = (data.envVars ?? []).map(({ name, required = false, secret = false, description = null }) => ({
    name,
    required,
    secret,
    description,
  }))
  return {
    kind: 'MCP_SERVER',
    identity: identityOf(data),
    key: `${owner}/${repo}`,
    owner,
    repo,
    name: data.title,
    ...about(data),
    official: data.official ?? null,
    transport: data.transport ?? null,
    installCommand: data.installCommand ?? commandOf(data, repo, envVars),
    envVars,
    docsUrl,
    repoUrl,
    deprecated: null,
  }
}

function identityOf({ owner, repo, repoUrl }: z.infer<typeof server>): string {
  const repository = repositoryOf(repoUrl)
  return repository ? serverIdentity(repository, [repo]) : `atrium:${owner}/${repo}`.toLowerCase()
}

function commandOf(
  { install: { npm, pypi, oci, remote } = {}, args = [] }: z.infer<typeof server>,
  repo: string,
  envVars: readonly { readonly name: string }[],
): string | null {
  if (npm !== undefined) return installCommand({ from: 'npm', name: npm, args })
  if (pypi !== undefined) return installCommand({ from: 'pypi', name: pypi, args })
  if (oci !== undefined) return installCommand({ from: 'oci', name: oci, env: envVars.map(({ name }) => name), args })
  return remote === undefined ? null : installCommand({ from: 'remote', name: slugOf(repo), url: remote, transport: 'http' })
}
