/** The used part of a JSON Schema. */
export type JsonSchema = { readonly type?: unknown; readonly [keyword: string]: unknown }

/** Bounds of a 32-bit integer, which add no information to the type. */
const INT_BOUNDS = new Set([2_147_483_647, -2_147_483_647, -2_147_483_648])
/** Default `maxLength` of store texts, which adds no information. */
const MAX_TEXT_CHARACTERS = 200_000

/**
 * Shortens a schema, because models pay for every byte: `null` becomes a second type; bounds
 * without information, that a text is not empty, and `additionalProperties` are left out (empty
 * texts and unknown arguments are refused anyway).
 */
export function conciseSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  const merged = Array.isArray(anyOf) ? { ...nullable(anyOf), ...rest } : rest
  const entries = Object.entries(merged).flatMap(([keyword, value]): [string, unknown][] => {
    // `Set.has` is safe for a value of any type.
    if ((keyword === 'minimum' || keyword === 'maximum') && INT_BOUNDS.has(value as number)) return []
    if (keyword === 'maxLength' && value === MAX_TEXT_CHARACTERS) return []
    if (keyword === 'minLength' && value === 1) return []
    if (keyword === 'additionalProperties') return []
    // By JSON Schema `items` is a schema.
    if (keyword === 'items') return [[keyword, conciseSchema(value as JsonSchema)]]
    if (keyword !== 'properties') return [[keyword, value]]
    // By JSON Schema `properties` maps names to schemas.
    const properties = Object.entries(value as Readonly<Record<string, JsonSchema>>)
    return [[keyword, Object.fromEntries(properties.map(([name, each]) => [name, conciseSchema(each)]))]]
  })
  return Object.fromEntries(entries)
}

/** Merges `anyOf` of a schema and null into one schema; leaves others unchanged. */
function nullable(schemas: readonly JsonSchema[]): JsonSchema {
  const [one, ...others] = schemas.filter(({ type }) => type !== 'null')
  const isNullable = schemas.length === 2 && others.length === 0
  if (!one || !isNullable || typeof one.type !== 'string') return { anyOf: schemas }
  return { ...one, type: [one.type, 'null'], ...(Array.isArray(one.enum) && { enum: [...one.enum, null] }) }
}

/**
 * Names of the keys of a result, with the types of those that are no texts. What is in them is seen
 * in the result itself; in a list of tools all of it would take three times the bytes of the rest.
 */
export function outlineSchema({ properties }: JsonSchema): JsonSchema {
  // By JSON Schema `properties` maps names to schemas.
  const entries = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>)
  return { type: 'object', properties: Object.fromEntries(entries.map(([name, each]) => [name, typeOf(each)])) }
}

/** The type alone; nothing for a text, and for a choice of more than an object and null. */
function typeOf(schema: JsonSchema): JsonSchema {
  const { type, anyOf } = conciseSchema(schema)
  if (type !== undefined) return type === 'string' ? {} : { type }
  // By JSON Schema `anyOf` is a list of schemas.
  const types = ((anyOf ?? []) as readonly JsonSchema[]).map((each) => each.type)
  return types.length > 0 && types.every((each) => typeof each === 'string') ? { type: [...new Set(types)] } : {}
}
