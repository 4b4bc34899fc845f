import { z } from 'zod'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { constantCase } from '../../platform/text/case.ts'
import { type ContractSchema, envelopeOf } from '../../rest-facade/store/contract.ts'

const INT_MAX = 2_147_483_647
/** Upper bound of texts without `maxLength` in the contract: longer than any stored text. */
const MAX_TEXT_CHARACTERS = 200_000

/**
 * Argument schema for a schema of the contract. Its messages complete "Expected `argument` to be
 * …". The REST route validates again, more strictly.
 */
export function argumentSchema(schema: ContractSchema): z.ZodType {
  const value = present(schema)
  const nullableValue = schema.nullable ? value.nullable() : value
  return schema.description ? nullableValue.describe(schema.description) : nullableValue
}

function present(schema: ContractSchema): z.ZodType {
  const wrapped = envelopeOf(schema)
  const inside = wrapped === null ? undefined : ownValue(schema.properties ?? {}, wrapped)
  // An entry's envelope is accepted but not listed, so that the schema shows one form.
  if (wrapped !== null && inside) return present({ ...inside, 'x-envelope': wrapped })
  const { type, enum: words, items = {}, properties, minimum = -INT_MAX, maximum = INT_MAX, required = [] } = schema
  if (words) return wordOf(words)
  switch (type) {
    case 'string':
      return textOf(schema.maxLength ?? MAX_TEXT_CHARACTERS)
    case 'integer': {
      const error = `a whole number from ${minimum} to ${maximum}`
      return z.int({ error }).min(minimum, { error }).max(maximum, { error })
    }
    case 'number': {
      const error = schema.minimum === undefined ? 'a number' : `a number from ${minimum}`
      return schema.minimum === undefined ? z.number({ error }) : z.number({ error }).min(minimum, { error })
    }
    case 'boolean':
      return z.boolean({ error: 'true or false' })
    case 'array':
      return z.array(argumentSchema(items), { error: 'a list' })
  }
  if (!properties) return z.unknown()
  const shape = Object.entries(properties).map(([name, property]) => {
    const value = argumentSchema(property)
    return [name, required.includes(name) ? value : value.optional()] as const
  })
  const object = z.strictObject(Object.fromEntries(shape), { error: 'an object' })
  const envelope = schema['x-envelope'] ?? null
  return envelope === null ? object : z.preprocess((given) => contentOf(given, envelope), object)
}

/** One of these words; case, spaces, hyphens and underscores do not matter. */
function wordOf(words: readonly (string | number)[]): z.ZodType {
  const byName = new Map(words.map((word) => [constantCase(String(word)), word]))
  const known = (given: unknown) => (typeof given === 'string' ? (byName.get(constantCase(given)) ?? given) : given)
  return z.preprocess(known, z.literal([...words], { error: `one of ${words.join(', ')}` }))
}

/** Unwraps an envelope such as `{"variant": {…}}`; returns other values unchanged. */
const contentOf = (given: unknown, envelope: string): unknown =>
  typeof given === 'object' && given !== null && Object.keys(given).join() === envelope ? Reflect.get(given, envelope) : given

/** Length in code points, as in JSON Schema: a surrogate pair counts once. */
const textOf = (max: number): z.ZodType =>
  z
    .string({ error: 'a text' })
    .refine((value) => value.length <= max || [...value].length <= max, { error: `a text of at most ${max} characters` })
    .meta({ maxLength: max })
