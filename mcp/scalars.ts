import { z } from 'zod'
import { type LookupTable, lookupTable } from '../platform/collections/lookup-table.ts'
import { expectationOf, parseParameter } from '../rest-facade/http/parameters.ts'

/** Constraints and description of an argument, in addition to its type. */
export type Bound = {
  /** Replaces the description of the GraphQL schema. */
  readonly description?: string
  /** Whether the values of an enum are listed without their descriptions: their names say enough. */
  readonly namesSuffice?: true
  /** Minimum of a number. */
  readonly min?: number
  /** Maximum of a number, of the characters of a text, or of the elements of a list. */
  readonly max?: number
  /** Replaces each run of white space in a text by one space. */
  readonly collapsesSpace?: true
}

/** Default upper bound of a text. */
const MAX_TEXT_CHARACTERS = 2_048

/** Non-blank text, with the rules of the REST API's parameters. */
export function text(max: number, collapsesSpace?: true): z.ZodType<string> {
  const rule = { kind: 'text', max, ...(collapsesSpace && { collapsesSpace }) } as const
  const error = expectationOf(rule)
  return z
    .string({ error })
    .overwrite((value) => (collapsesSpace ? value.replace(/\s+/g, ' ') : value))
    .refine((value) => parseParameter(rule, value) !== undefined, { error })
    .meta({ minLength: 1, maxLength: max })
}

/** Integer from `min` to `max`, both included. */
export function wholeNumber(min: number, max: number): z.ZodType<number> {
  const error = `a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

const INT_MAX = 2_147_483_647

/** Argument schemas of GraphQL scalars. */
const SCALARS: LookupTable<(bound: Bound) => z.ZodType> = lookupTable({
  String: ({ max = MAX_TEXT_CHARACTERS, collapsesSpace }) => text(max, collapsesSpace),
  ID: ({ max = MAX_TEXT_CHARACTERS }) => text(max),
  Int: ({ min = -INT_MAX - 1, max = INT_MAX }) => wholeNumber(min, max),
  Float: () => z.number({ error: 'a number' }),
  Boolean: () => z.boolean({ error: 'true or false' }),
  DateTime: () => z.iso.datetime({ offset: true, error: 'a time such as 2026-11-20T09:30:00Z' }),
  Url: ({ max = MAX_TEXT_CHARACTERS }) => text(max),
  Decimal: () => z.union([z.string(), z.number()], { error: 'a decimal number such as "12.50"' }),
  JSON: () => z.unknown(),
})

/** Argument schema of a scalar. Throws for a scalar without one. */
export function scalarArgument(name: string, bound: Bound): z.ZodType {
  const schema = SCALARS[name]
  if (!schema) throw new Error(`Expected mcp/scalars.ts to know the scalar ${name}.`)
  return schema(bound)
}

/** Result schema of a scalar; the graph has validated the value. */
export function scalarAnswer(name: string): z.ZodType {
  switch (name) {
    case 'Int':
      return z.int32()
    case 'Float':
      return z.number()
    case 'Boolean':
      return z.boolean()
    case 'JSON':
      return z.unknown()
    default:
      return z.string()
  }
}
