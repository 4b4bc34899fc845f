import type { GraphQLEnumType } from 'graphql'
import { constantCase } from '../../../platform/text/case.ts'
import type { ContractSchema } from '../contract.ts'

/**
 * The contract's value for every value of a GraphQL enum; in lower case where the contract has a
 * plain string. Values that the contract does not have are missing.
 */
export function wireValuesOf(schema: ContractSchema, type: GraphQLEnumType): ReadonlyMap<string, string | number> {
  const values = type.getValues().map(({ name }) => name)
  if (schema['x-words']) return new Map(Object.entries(schema['x-words']))
  if (!schema.enum) return new Map(values.map((value) => [value, value.toLowerCase()]))
  const byName = new Map(schema.enum.map((wireValue) => [constantCase(String(wireValue)), wireValue]))
  return new Map(
    values.flatMap((value) => {
      const wireValue = byName.get(value)
      return wireValue === undefined ? [] : [[value, wireValue] as const]
    }),
  )
}

/**
 * Compiles the reading of an enum value: in any of its spellings, by an alias, or by its number.
 * Returns undefined for unknown values.
 */
export function enumReader(schema: ContractSchema, type: GraphQLEnumType): (given: unknown) => string | undefined {
  const values = new Map<string, string>()
  for (const [value, wireValue] of wireValuesOf(schema, type)) {
    values.set(constantCase(String(wireValue)), value)
    values.set(value, value)
  }
  for (const [alias, wireValue] of Object.entries(schema['x-aliases'] ?? {})) {
    const value = values.get(constantCase(wireValue))
    if (value !== undefined) values.set(constantCase(alias), value)
  }
  return (given) => (typeof given === 'string' || typeof given === 'number' ? values.get(constantCase(String(given))) : undefined)
}
