/** A JSON Schema, as far as tools list it. */
export type JsonSchema = { readonly type?: unknown; readonly [keyword: string]: unknown }

/** Bounds that every value of the type has anyway: those of a 32-bit integer. */
const INT_BOUNDS = new Set([2_147_483_647, -2_147_483_647])
/** The server's bound of texts for which nothing narrower is known. */
const MAX_TEXT_CHARACTERS = 200_000

/**
 * The same schema in fewer bytes, for models that read it: `null` as a further type, without bounds
 * that say nothing, and without `additionalProperties`: a call is refused for unknown arguments.
 */
export function conciseSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  const merged = Array.isArray(anyOf) ? { ...nullable(anyOf), ...rest } : rest
  const entries = Object.entries(merged).flatMap(([keyword, value]): [string, unknown][] => {
    // A set answers for any value.
    if ((keyword === 'minimum' || keyword === 'maximum') && INT_BOUNDS.has(value as number)) return []
    if (keyword === 'maxLength' && value === MAX_TEXT_CHARACTERS) return []
    if (keyword === 'additionalProperties') return []
    // JSON Schema: `items` is a schema.
    if (keyword === 'items') return [[keyword, conciseSchema(value as JsonSchema)]]
    if (keyword !== 'properties') return [[keyword, value]]
    // JSON Schema: `properties` is an object of schemas.
    const properties = Object.entries(value as Readonly<Record<string, JsonSchema>>)
    return [[keyword, Object.fromEntries(properties.map(([name, each]) => [name, conciseSchema(each)]))]]
  })
  return Object.fromEntries(entries)
}

/** `anyOf` of one schema and null as that schema; others stay. */
function nullable(schemas: readonly JsonSchema[]): JsonSchema {
  const [one, ...others] = schemas.filter(({ type }) => type !== 'null')
  const isNullable = schemas.length === 2 && others.length === 0
  // An enum would have to list null as well.
  if (!one || !isNullable || typeof one.type !== 'string' || one.enum !== undefined) return { anyOf: schemas }
  return { ...one, type: [one.type, 'null'] }
}
