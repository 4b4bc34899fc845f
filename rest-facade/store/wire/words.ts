import type { GraphQLEnumType } from 'graphql'
import type { Schema } from '../contract.ts'

/** The graph's name for a name of the wire: `page_title` is `pageTitle`, `status_filters[]` is `statusFilters`. */
export const camel = (wire: string): string =>
  wire.replace(/\[\]$/, '').replaceAll(/_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** The wire's name for a name of the graph: `pageTitle` is `page_title`. */
export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The spelling of a word in enums of the graph: `not-available`, `Pending Payment` and `pending_payment` need no table. */
const shout = (word: string): string => word.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')

/**
 * The wire's word for every value of an enum: those of the contract, and where that only says "string", the value in lower case. Values that the contract has no
 * word for are missing.
 */
export function wordsOf(schema: Schema, type: GraphQLEnumType): ReadonlyMap<string, string | number> {
  const values = type.getValues().map(({ name }) => name)
  if (schema['x-words']) return new Map(Object.entries(schema['x-words']))
  if (!schema.enum) return new Map(values.map((value) => [value, value.toLowerCase()]))
  const byName = new Map(schema.enum.map((word) => [shout(String(word)), word]))
  return new Map(
    values.flatMap((value) => {
      const word = byName.get(value)
      return word === undefined ? [] : [[value, word] as const]
    }),
  )
}

/** What reads a word of the wire: in any of its spellings, an alias, or the number that stands for it. Undefined for what is none. */
export function wordReader(schema: Schema, type: GraphQLEnumType): (given: unknown) => string | undefined {
  const values = new Map<string, string>()
  for (const [value, word] of wordsOf(schema, type)) {
    values.set(shout(String(word)), value)
    values.set(value, value)
  }
  for (const [alias, word] of Object.entries(schema['x-aliases'] ?? {})) {
    const value = values.get(shout(word))
    if (value !== undefined) values.set(shout(alias), value)
  }
  return (given) => (typeof given === 'string' || typeof given === 'number' ? values.get(shout(String(given))) : undefined)
}
