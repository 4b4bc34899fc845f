import type { GraphQLFormattedError } from 'graphql'
import { type GatewayCode, refusal } from '../operations/errors.ts'
import type { Shape } from './depth-limit.ts'
import { BOUNDS, type Limits } from './limits.ts'

/** What an operation may have of everything that can be read off its text; one row per bound. */
const ROWS: readonly {
  readonly what: keyof Shape
  readonly limit: (limits: Limits) => number
  readonly code: GatewayCode
  readonly noun: string
}[] = [
  { what: 'depth', limit: ({ depth }) => depth || Infinity, code: 'DEPTH_LIMIT_EXCEEDED', noun: 'levels of fields' },
  { what: 'fields', limit: () => BOUNDS.fields, code: 'OPERATION_TOO_LARGE', noun: 'fields' },
  { what: 'aliases', limit: () => BOUNDS.aliases, code: 'OPERATION_TOO_LARGE', noun: 'aliases' },
  { what: 'rootFields', limit: () => BOUNDS.rootFields, code: 'OPERATION_TOO_LARGE', noun: 'fields at the root' },
  { what: 'introspections', limit: () => BOUNDS.introspections, code: 'OPERATION_TOO_LARGE', noun: '"__schema" and "__type"' },
]

/** An error for every bound that the operation breaks, each with what it has and what it may have. */
export const shapeFaults = (shape: Shape, limits: Limits): readonly GraphQLFormattedError[] =>
  ROWS.flatMap(({ what, limit, code, noun }) => {
    const [actual, allowed] = [shape[what], limit(limits)]
    if (actual <= allowed) return []
    return [refusal(code, `Expected at most ${allowed} ${noun}, got ${actual}.`, { [what]: actual, limit: allowed })]
  })
