import type { GraphQLEnumType } from 'graphql'
import { constantCase } from '../../../platform/text/case.ts'
import type { Schema } from '../contract.ts'

/**
 * The wire's word for every value of an enum: those of the contract, and where that only says "string", the value in lower case. Values that the contract has no
 * word for are missing.
 */
export function wireValuesOf(schema: Schema, type: GraphQLEnumType): ReadonlyMap<string, string | number> {
  const values = type.getValues().map(({ name }) => name)
  if (schema['x-words']) return new Map(Object.entries(schema['x-words']))
  if (!schema.enum) return new Map(values.map((value) => [value, value.toLowerCase()]))
  const byName = new Map(schema.enum.map((word) => [constantCase(String(word)), word]))
  return new Map(
    values.flatMap((value) => {
      const word = byName.get(value)
      return word === undefined ? [] : [[value, word] as const]
    }),
  )
}

/** What reads a word of the wire: in any of its spellings, an alias, or the number that stands for it. Undefined for what is none. */
export function enumReader(schema: Schema, type: GraphQLEnumType): (given: unknown) => string | undefined {
  const values = new Map<string, string>()
  for (const [value, word] of wireValuesOf(schema, type)) {
    values.set(constantCase(String(word)), value)
    values.set(value, value)
  }
  for (const [alias, word] of Object.entries(schema['x-aliases'] ?? {})) {
    const value = values.get(constantCase(word))
    if (value !== undefined) values.set(constantCase(alias), value)
  }
  return (given) => (typeof given === 'string' || typeof given === 'number' ? values.get(constantCase(String(given))) : undefined)
}
