/** The used part of a JSON Schema. */
export type JsonSchema = { readonly type?: unknown; readonly [keyword: string]: unknown }

/** Bounds of a 32-bit integer, which add no information to the type. */
const INT_BOUNDS = new Set([2_147_483_647, -2_147_483_647])
/** Default `maxLength` of store texts, which adds no information. */
const MAX_TEXT_CHARACTERS = 200_000

/**
 * Shortens a schema, because models pay for every byte: `null` becomes a second type; bounds
 * without information and `additionalProperties` are left out (unknown arguments are refused
 * anyway).
 */
export function conciseSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  const merged = Array.isArray(anyOf) ? { ...nullable(anyOf), ...rest } : rest
  const entries = Object.entries(merged).flatMap(([keyword, value]): [string, unknown][] => {
    // `Set.has` is safe for a value of any type.
    if ((keyword === 'minimum' || keyword === 'maximum') && INT_BOUNDS.has(value as number)) return []
    if (keyword === 'maxLength' && value === MAX_TEXT_CHARACTERS) return []
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
  // An enum keeps `anyOf`: it would have to list null as a value as well.
  if (!one || !isNullable || typeof one.type !== 'string' || one.enum !== undefined) return { anyOf: schemas }
  return { ...one, type: [one.type, 'null'] }
}
