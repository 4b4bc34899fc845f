import { type ConstDirectiveNode, type DocumentNode, Kind, valueFromASTUntyped } from 'graphql'

/** Arguments of a `@cacheControl` directive. */
export type CacheHint = {
  /** Seconds for which a response may be reused; absent when the directive has none. */
  readonly maxAge?: number
  /** PRIVATE: reusable for the same credentials only. */
  readonly scope?: 'PUBLIC' | 'PRIVATE'
  /** Whether the `maxAge` of the parent field applies. */
  readonly inheritMaxAge: boolean
}

/** The cache hints of a graph, by `Type` and `Type.field`. */
export type CacheHints = ReadonlyMap<string, CacheHint>

/**
 * Reads the `@cacheControl` hints of a supergraph, under any prefix that links them. The API schema
 * has no directives.
 */
export function readCacheHints(supergraph: DocumentNode): CacheHints {
  const hints = new Map<string, CacheHint>()
  const read = (key: string, directives: readonly ConstDirectiveNode[] | undefined) => {
    const directive = directives?.find(({ name }) => name.value === 'cacheControl' || name.value.endsWith('__cacheControl'))
    if (directive) hints.set(key, hintIn(directive))
  }
  for (const definition of supergraph.definitions) {
    if (definition.kind === Kind.UNION_TYPE_DEFINITION) read(definition.name.value, definition.directives)
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue
    const type = definition.name.value
    read(type, definition.directives)
    for (const field of definition.fields ?? []) read(`${type}.${field.name.value}`, field.directives)
  }
  return hints
}

function hintIn({ arguments: nodes = [] }: ConstDirectiveNode): CacheHint {
  const values = Object.fromEntries(nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]))
  const { maxAge, scope, inheritMaxAge } = values
  return {
    ...(typeof maxAge === 'number' && { maxAge: Math.max(0, Math.floor(maxAge)) }),
    ...((scope === 'PUBLIC' || scope === 'PRIVATE') && { scope }),
    inheritMaxAge: inheritMaxAge === true,
  }
}
