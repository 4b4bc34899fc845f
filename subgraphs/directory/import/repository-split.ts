import type { Contribution } from './contribution.ts'
import { repositoryOf } from './url.ts'

/** Servers of one repository in all sources. */
type Repository = {
  /** Parts that some source states. */
  readonly parts: Set<string>
  /** Parts per source; empty for the repository as a whole. */
  readonly bySource: Map<string, Set<string>>
  /** Parts that lie in a folder of their own. */
  readonly folders: Set<string>
}

const splitIdentity = (identity: string): readonly [base: string, part: string] => {
  const at = identity.indexOf('#')
  return at === -1 ? [identity, ''] : [identity.slice(0, at), identity.slice(at + 1)]
}

/**
 * Decides which repositories hold several servers: those of which one source by itself lists
 * several, under different packages, names or folders. Sources that disagree about the name of one
 * server make no second one. Other repositories are one server, whatever it is called. Returns the
 * contributions under the identities that follow.
 */
export function splitRepositories(contributions: readonly Contribution[]): readonly Contribution[] {
  const repositories = new Map<string, Repository>()
  for (const { statement, origin, format } of contributions) {
    if (statement.kind !== 'MCP_SERVER' || statement.repoUrl === null) continue
    const [base, part] = splitIdentity(statement.identity)
    const known = repositories.get(base) ?? { parts: new Set(), bySource: new Map(), folders: new Set() }
    repositories.set(base, known)
    const source = `${origin} ${format}`
    const stated = known.bySource.get(source) ?? new Set()
    known.bySource.set(source, stated.add(part))
    if (part === '') continue
    known.parts.add(part)
    if (statement.repoUrl.includes('/tree/HEAD/')) known.folders.add(part)
  }
  return contributions.map((contribution) => addressed(contribution, repositories))
}

/** Whether one source lists two parts, or the whole and a part in a folder of its own. */
function holdsSeveral({ bySource, folders }: Repository): boolean {
  return [...bySource.values()].some((parts) => {
    const named = [...parts].filter((part) => part !== '')
    return named.length > 1 || (parts.has('') && named.some((part) => folders.has(part)))
  })
}

function addressed(contribution: Contribution, repositories: ReadonlyMap<string, Repository>): Contribution {
  const { statement } = contribution
  if (statement.kind !== 'MCP_SERVER') return contribution
  const [base, part] = splitIdentity(statement.identity)
  const repository = repositories.get(base)
  if (!repository) return contribution
  if (holdsSeveral(repository)) {
    const label = part === '' ? statement.labels?.find((one) => repository.parts.has(one)) : undefined
    return label === undefined ? contribution : { ...contribution, statement: { ...statement, identity: `${base}#${label}` } }
  }
  if (part === '') return contribution
  const { owner, repo } = repositoryOf(statement.repoUrl) ?? statement
  const account = owner.replaceAll('/', '.')
  return { ...contribution, statement: { ...statement, identity: base, key: `${account}/${repo}`, owner: account, repo } }
}
