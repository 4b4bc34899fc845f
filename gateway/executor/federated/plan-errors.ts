import type { GraphQLFormattedError } from 'graphql'
import type { GatewayCode } from '../../operations/errors.ts'
import type { ResponsePath } from './flatten-path.ts'

/** What went wrong while one operation ran, in the client's terms. */
export type Problems = {
  readonly errors: readonly GraphQLFormattedError[]
  /**
   * An error as clients see it. One that was told before is not told again: a service that is down is down for every fetch, and two fetches may ask for one field.
   */
  readonly add: (error: GraphQLFormattedError) => void
  /** Nothing came from these places, and an error without a path says why. */
  readonly missing: (places: () => Iterable<ResponsePath>) => void
  /** A value that does not fit the schema, unless `code` says otherwise: an error of its own, unless one that is known is why. */
  readonly unfit: (message: string, path: ResponsePath, code?: GatewayCode) => void
}

/** Where errors are, as a tree: `isHere` where one ends. */
type Place = { isHere: boolean; readonly below: Map<string | number, Place> }

export function noProblems(): Problems {
  const errors: GraphQLFormattedError[] = []
  const told = new Set<string>()
  const gaps: (() => Iterable<ResponsePath>)[] = []
  let known: Place | null = null

  return {
    errors,
    add(error) {
      const text = JSON.stringify([error.message, error.extensions?.code, error.path])
      if (told.has(text)) return
      told.add(text)
      errors.push(error)
    },
    missing: (places) => void gaps.push(places),
    unfit(message, path, code = 'INVALID_SUBGRAPH_ANSWER') {
      known ??= treeOf([...errors.flatMap(({ path }) => (path ? [path] : [])), ...gaps.flatMap((places) => [...places()])])
      if (isExplained(known, path)) return
      errors.push({ message, path: [...path], extensions: { code } })
    },
  }
}

function treeOf(paths: readonly ResponsePath[]): Place {
  const root: Place = { isHere: false, below: new Map() }
  for (const path of paths) {
    let place = root
    for (const element of path) {
      const next = place.below.get(element) ?? { isHere: false, below: new Map() }
      place.below.set(element, next)
      place = next
    }
    place.isHere = true
  }
  return root
}

/** Whether an error is at this place, above it or below it: above, nothing came for all of it; below, its null came up to here. */
function isExplained(root: Place, path: ResponsePath): boolean {
  let place = root
  for (const element of path) {
    if (place.isHere) return true
    const next = place.below.get(element)
    if (!next) return false
    place = next
  }
  return true
}
