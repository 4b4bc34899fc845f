import type { GraphQLFormattedError } from 'graphql'
import type { Answer } from './answer.ts'

/**
 * An answer without what may differ between gateways that are both right:
 * - Messages. Ours says nothing of faults (a text of ours and the request's id instead), the oracle
 *   quotes the subgraph.
 * - Codes of faults: INTERNAL_SERVER_ERROR, DOWNSTREAM_SERVICE_ERROR, SUBGRAPH_UNAVAILABLE and
 *   BAD_USER_INPUT without more are all "fault". A code that
 *   a subgraph gave on purpose stays.
 * - How often an error without a path is told. It is about a service, not about a place: the oracle
 *   tells it for every fetch that failed, ours once.
 * - Which of several errors that nulled the same place is told: the specification asks for one.
 *   Errors that a subgraph reported must be told all. Data is compared as text, so that the order
 *   of keys counts.
 */
export type Normal = {
  readonly data: string
  /**
   * Errors that subgraphs reported, or that stand for one that did not answer: path and class,
   * sorted; those without a path once.
   */
  readonly reported: readonly string[]
  /**
   * Places that are null because the gateway found values there that do not fit the schema, and no
   * reported error explains.
   */
  readonly found: readonly string[]
}

export function normal({ data, errors = [] }: Answer): Normal {
  const reported = errors.filter(isReported)
  const explained = new Set(reported.map((error) => placeOf(error, data)))
  const found = errors.filter(isFound).map((error) => placeOf(error, data))
  return {
    data: JSON.stringify(data ?? null),
    reported: [
      ...reported.filter(({ path }) => path).map(textOf),
      ...new Set(reported.filter(({ path }) => !path).map(textOf)),
    ].sort(),
    found: explained.has(ANYWHERE) ? [] : [...new Set(found)].filter((place) => !explained.has(place)).sort(),
  }
}

/**
 * Errors about an answer of a subgraph that it did not report itself. The oracle has no code for a
 * wrong number of entities.
 */
const isFound = ({ message, extensions }: GraphQLFormattedError) =>
  ['INVALID_SUBGRAPH_ANSWER', 'INVALID_GRAPHQL'].includes(String(extensions?.code)) ||
  message.startsWith('Expected "data._entities"')

/** Errors that a subgraph reported, or that stand for one that did not answer. */
export const isReported = (error: GraphQLFormattedError): boolean => !isFound(error)

const textOf = ({ path, extensions }: GraphQLFormattedError) => `${JSON.stringify(path ?? null)} ${classOf(extensions?.code)}`

const FAULTS = ['INTERNAL_SERVER_ERROR', 'DOWNSTREAM_SERVICE_ERROR', 'SUBGRAPH_UNAVAILABLE', 'BAD_USER_INPUT', 'undefined']

const classOf = (code: unknown) => (FAULTS.includes(String(code)) ? 'fault' : String(code))

const ANYWHERE = '*'

/** The place in the data that an error made null. */
function placeOf({ path }: GraphQLFormattedError, data: unknown): string {
  if (!path) return ANYWHERE
  let value: unknown = data
  const place: (string | number)[] = []
  for (const step of path) {
    if (value === null || value === undefined) break
    value = Object.hasOwn(value as object, step) ? Reflect.get(value as object, step) : undefined
    place.push(step)
  }
  return JSON.stringify(place)
}

/**
 * The places that are null because of an error, each once. Errors of fields that the answer does
 * not have are left out: what an `@interfaceObject` is asked for one type, the planner asks for
 * all.
 */
export const placesOfErrors = ({ data, errors = [] }: Answer): readonly string[] =>
  [...new Set(errors.map((error) => placeOf(error, data)))].filter((place) => isIn(place, data)).sort()

function isIn(place: string, data: unknown): boolean {
  if (place === ANYWHERE) return true
  const steps: readonly (string | number)[] = JSON.parse(place)
  return steps.reduce((value: unknown, step) => Reflect.get(Object(value), step), data) !== undefined
}
