import { hash } from 'node:crypto'
import { z } from 'zod'

/**
 * An invalidation, in the format of Apollo Router's endpoint. `entity` has the fields of one
 * `@key`; ids as numbers and as strings are equal.
 */
export type Invalidation =
  | { readonly kind: 'subgraph'; readonly subgraph: string }
  | { readonly kind: 'type'; readonly subgraph: string; readonly type: string }
  | {
      readonly kind: 'entity'
      readonly subgraph: string
      readonly type: string
      readonly key: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'cache_tag'; readonly subgraphs: readonly string[]; readonly cache_tag: string }

/** Upper bounds of an entity's custom tags; an entity that exceeds them is not cached. */
export const MAX_TAGS_PER_ENTITY = 32
export const MAX_TAG_CHARACTERS = 256

/** Invalidations in one request. */
const MAX_INVALIDATIONS = 1_000

const name = z.string().min(1).max(MAX_TAG_CHARACTERS)
const KINDS = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('subgraph'), subgraph: name }),
  z.strictObject({ kind: z.literal('type'), subgraph: name, type: name }),
  z.strictObject({
    kind: z.literal('entity'),
    subgraph: name,
    type: name,
    key: z.record(z.string(), z.unknown()).refine((key) => Object.keys(key).length > 0, 'expected at least one key field'),
  }),
  z.strictObject({ kind: z.literal('cache_tag'), subgraphs: z.array(name).min(1).max(100), cache_tag: name }),
])
const BODY = z.array(KINDS).min(1).max(MAX_INVALIDATIONS)

/** Parses a request body; returns an error message when it is not a list of invalidations. */
export function parseInvalidations(
  body: unknown,
): { readonly invalidations: readonly Invalidation[] } | { readonly problem: string } {
  const parsed = BODY.safeParse(body)
  if (parsed.success) return { invalidations: parsed.data }
  const [issue] = parsed.error.issues
  const path = issue?.path.map(String).join('.') ?? ''
  return {
    problem: `Expected a list of 1 to ${MAX_INVALIDATIONS} invalidations such as {"kind":"type","subgraph":"products","type":"Product"}; at "${path}": ${issue?.message ?? 'it is no list'}.`,
  }
}

export const subgraphTag = (subgraph: string): string => tag('subgraph', subgraph)
export const typeTag = (subgraph: string, type: string): string => tag('type', subgraph, type)
export const entityTag = (subgraph: string, type: string, key: Readonly<Record<string, unknown>>): string =>
  tag('entity', subgraph, type, canonical(key))
export const customTag = (subgraph: string, text: string): string => tag('tag', subgraph, text)

/** Cache tags of an invalidation. */
export function tagsOf(invalidation: Invalidation): readonly string[] {
  switch (invalidation.kind) {
    case 'subgraph':
      return [subgraphTag(invalidation.subgraph)]
    case 'type':
      return [typeTag(invalidation.subgraph, invalidation.type)]
    case 'entity':
      return [entityTag(invalidation.subgraph, invalidation.type, invalidation.key)]
    case 'cache_tag':
      return invalidation.subgraphs.map((subgraph) => customTag(subgraph, invalidation.cache_tag))
  }
}

/** Hashed, so that all tags have one length and Redis stores no ids. */
const tag = (...parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)

/** Canonical form of an entity key: sorted, without `__typename`, numbers as strings. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .filter(([key]) => key !== '__typename')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => [key, canonical(inner)])
}
