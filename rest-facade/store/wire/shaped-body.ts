import type { ContractSchema } from '../contract.ts'

/**
 * Writes values that a row has shaped already: every documented key in its order, null where it is
 * absent.
 */
export function shapedWriter(schema: ContractSchema): (value: unknown) => string {
  return (value) => JSON.stringify(shaped(schema, value))
}

function shaped({ type, properties, items = {} }: ContractSchema, value: unknown): unknown {
  if (value === null || value === undefined) return null
  // Rows shape values as the contract has them.
  if (type === 'array') return (value as readonly unknown[]).map((item) => shaped(items, item))
  if (!properties) return value
  // An object, for the same reason.
  const given = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, shaped(property, given[name])]))
}
