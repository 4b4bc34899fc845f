import type { GraphQLFormattedError } from 'graphql'
import type { GatewayCode } from '../../operations/errors.ts'
import type { ResponsePath } from './flatten-path.ts'

/** Collects the errors of one operation, with paths and keys of the client's document. */
export type ErrorCollector = {
  readonly errors: readonly GraphQLFormattedError[]
  /**
   * Adds an error as clients see it. Drops a duplicate: a subgraph that is down fails every fetch,
   * and two fetches may select one field.
   */
  readonly add: (error: GraphQLFormattedError) => void
  /** These paths have no value because of an error without a path. */
  readonly addMissingPaths: (paths: () => Iterable<ResponsePath>) => void
  /**
   * A value that does not fit the schema, unless `code` says otherwise. Reported only where no
   * earlier error explains it.
   */
  readonly addInvalidValue: (message: string, path: ResponsePath, code?: GatewayCode) => void
}

/** The paths of errors as a tree; `isEnd` where a path ends. */
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
 * Whether an error is at this path, above it or below it: one above means that no part was
 * answered; the null of one below has propagated up to here.
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
