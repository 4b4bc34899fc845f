import { z } from 'zod'
import { type LookupTable, lookupTable } from '../platform/collections/lookup-table.ts'
import { expectationOf, parseParameter } from '../rest-facade/http/parameters.ts'

/** What a row says about an argument beside its type. */
export type Bound = {
  /** In place of what the schema of the graph says. */
  readonly description?: string
  /** The smallest number. */
  readonly min?: number
  /** The largest number, the most characters of a text, or the most elements of a list. */
  readonly max?: number
  /** Of a text: tabs and line breaks are blanks. */
  readonly collapsesSpace?: true
}

/** Longest text of an argument whose row sets no bound of its own, in characters. */
const MAX_TEXT_CHARACTERS = 2_048

/** Text that says something: the rules of REST's parameters. */
export function text(max: number, collapsesSpace?: true): z.ZodType<string> {
  const rule = { kind: 'text', max, ...(collapsesSpace && { collapsesSpace }) } as const
  const error = expectationOf(rule)
  return z
    .string({ error })
    .overwrite((value) => (collapsesSpace ? value.replace(/\s+/g, ' ') : value))
    .refine((value) => parseParameter(rule, value) !== undefined, { error })
    .meta({ minLength: 1, maxLength: max })
}

/** A whole number, both ends included. */
export function wholeNumber(min: number, max: number): z.ZodType<number> {
  const error = `a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

const INT_MAX = 2_147_483_647

/** The scalars of the graph as arguments. */
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

/** What an argument of a scalar may be. Throws for a scalar that tools do not know yet. */
export function scalarArgument(name: string, bound: Bound): z.ZodType {
  const schema = SCALARS[name]
  if (!schema) throw new Error(`Expected mcp/scalars.ts to know the scalar ${name}.`)
  return schema(bound)
}

/** What a scalar is in an answer. The graph has checked it. */
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
