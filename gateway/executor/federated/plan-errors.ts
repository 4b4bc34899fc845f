import type { GraphQLFormattedError } from 'graphql'
import type { GatewayCode } from '../../operations/errors.ts'
import type { ResponsePath } from './flatten-path.ts'

/** Collects the errors of one execution, with client paths and keys. */
export type ErrorCollector = {
  readonly errors: readonly GraphQLFormattedError[]
  /**
   * Adds an error. Drops duplicates: an unavailable subgraph fails every fetch, and two fetches may
   * select the same field.
   */
  readonly add: (error: GraphQLFormattedError) => void
  /** Adds paths whose missing value is explained by an error without a path. */
  readonly addMissingPaths: (paths: () => Iterable<ResponsePath>) => void
  /**
   * Adds an error for an invalid value. Dropped when an earlier error at, above or below the path
   * explains it.
   */
  readonly addInvalidValue: (message: string, path: ResponsePath, code?: GatewayCode) => void
}

/** Error paths as a prefix tree; `isEnd`: a path ends here. */
type PathTree = { isEnd: boolean; readonly below: Map<string | number, PathTree> }

export function createErrorCollector(): ErrorCollector {
  const errors: GraphQLFormattedError[] = []
  const reported = new Set<string>()
  const missing: (() => Iterable<ResponsePath>)[] = []
  let explained: PathTree | null = null

  return {
    errors,
    add(error) {
      const text = JSON.stringify([error.message, error.extensions?.code, error.path])
      if (reported.has(text)) return
      reported.add(text)
      errors.push(error)
    },
    addMissingPaths: (paths) => void missing.push(paths),
    addInvalidValue(message, path, code = 'INVALID_SUBGRAPH_ANSWER') {
      explained ??= treeOf([...errors.flatMap(({ path }) => (path ? [path] : [])), ...missing.flatMap((paths) => [...paths()])])
      if (isExplained(explained, path)) return
      errors.push({ message, path: [...path], extensions: { code } })
    },
  }
}

function treeOf(paths: readonly ResponsePath[]): PathTree {
  const root: PathTree = { isEnd: false, below: new Map() }
  for (const path of paths) {
    let node = root
    for (const element of path) {
      const next = node.below.get(element) ?? { isEnd: false, below: new Map() }
      node.below.set(element, next)
      node = next
    }
    node.isEnd = true
  }
  return root
}

/**
 * Whether an error's path is equal to, above or below this path. Above: nothing was fetched here;
 * below: null has propagated up to here.
 */
function isExplained(root: PathTree, path: ResponsePath): boolean {
  let node = root
  for (const element of path) {
    if (node.isEnd) return true
    const next = node.below.get(element)
    if (!next) return false
    node = next
  }
  return true
}
