import { z } from 'zod'
import type { Schema } from '../../rest-facade/store/contract.ts'

const INT_MAX = 2_147_483_647
/** Longer than any text that the store keeps, for those whose bound the contract does not say. */
const MAX_TEXT_CHARACTERS = 200_000

/**
 * What a value of the contract may be as an argument. Its messages complete "Expected `argument` to
 * be …". The contract's own reading has the last word.
 */
export function argumentSchema(schema: Schema): z.ZodType {
  const value = present(schema)
  const nullableValue = schema.nullable ? value.nullable() : value
  return schema.description ? nullableValue.describe(schema.description) : nullableValue
}

function present(schema: Schema): z.ZodType {
  const { type, enum: words, items = {}, properties, minimum = -INT_MAX, maximum = INT_MAX, required = [] } = schema
  if (words) {
    const error = `one of ${words.join(', ')}`
    return z.literal([...words], { error })
  }
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
  return z.strictObject(Object.fromEntries(shape), { error: 'an object' })
}

/** Characters as JSON Schema counts them: a pair of surrogates is one. */
const textOf = (max: number): z.ZodType =>
  z
    .string({ error: 'a text' })
    .refine((value) => value.length <= max || [...value].length <= max, { error: `a text of at most ${max} characters` })
    .meta({ maxLength: max })

/** What the contract answers: every key is there, and its value may be null. */
export function answerShape({ type, enum: words, items = {}, properties, description }: Schema): z.ZodType {
  const value = shapeOf()
  return description ? value.describe(description) : value

  function shapeOf(): z.ZodType {
    if (properties) return z.object(Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, nullable(each)])))
    if (words) return z.literal([...words])
    switch (type) {
      case 'string':
        return z.string()
      case 'integer':
        return z.int()
      case 'number':
        return z.number()
      case 'boolean':
        return z.boolean()
      case 'array':
        return z.array(answerShape(items))
      default:
        return z.unknown()
    }
  }
}

const nullable = ({ description, ...schema }: Schema): z.ZodType => {
  const value = answerShape(schema).nullable()
  return description ? value.describe(description) : value
}
