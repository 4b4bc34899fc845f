import type { ExecutionResult } from '../operations/execution-result.ts'

/** A path at which two results of an operation differ. */
export type Difference = {
  /** Keys joined by dots, `@` for list items; '' for the data as a whole. */
  readonly path: string
  readonly part: 'data' | 'errors'
  /** Kinds of the values, such as `number`, or error codes; `absent` for a missing one. */
  readonly served: string
  readonly candidate: string
  /** Lengths of lists, or numbers of errors, where they differ; at the first such path. */
  readonly amounts?: { readonly served: number; readonly candidate: number }
  /** Number of paths with this difference. */
  readonly count: number
  /** An example of both values; absent unless requested. */
  readonly values?: { readonly served: unknown; readonly candidate: unknown }
}

/** Upper bound of distinct differences per comparison; further ones are dropped. */
export const MAX_DIFFERENCES = 50

type Found = Map<string, Difference>

/**
 * Compares results as JSON: the order of keys does not matter, that of lists does. Errors are equal
 * when path and code are, because messages may contain request ids.
 */
export function compareResults(
  served: ExecutionResult,
  candidate: ExecutionResult,
  { withValues = false }: { readonly withValues?: boolean } = {},
): readonly Difference[] {
  const found: Found = new Map()
  const note = (
    part: Difference['part'],
    path: string,
    values: { served: unknown; candidate: unknown },
    kinds: readonly [served: string, candidate: string],
    amounts?: Difference['amounts'],
  ) => {
    const [servedKind, candidateKind] = kinds
    const key = JSON.stringify([part, path, kinds])
    const known = found.get(key)
    if (known) found.set(key, { ...known, count: known.count + 1 })
    else if (found.size < MAX_DIFFERENCES) {
      const added = { part, path, served: servedKind, candidate: candidateKind, count: 1 }
      found.set(key, { ...added, ...(amounts && { amounts }), ...(withValues && { values }) })
    }
  }
  compareValues(served.data ?? null, candidate.data ?? null, '')
  compareErrors()
  return [...found.values()]

  function compareValues(one: unknown, other: unknown, path: string): void {
    if (one === other) return
    const kinds = [kindOf(one), kindOf(other)] as const
    const [kind, otherKind] = kinds
    if (kind === otherKind && Array.isArray(one) && Array.isArray(other)) {
      const lengths = { served: one.length, candidate: other.length }
      if (one.length !== other.length) note('data', path, { served: one, candidate: other }, kinds, lengths)
      for (let at = 0; at < Math.min(one.length, other.length); at++) compareValues(one[at], other[at], below(path, '@'))
    } else if (isObject(one) && isObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        compareValues(own(one, key), own(other, key), below(path, key))
      }
    } else if (kind !== otherKind || !Object.is(one, other)) {
      note('data', path, { served: one, candidate: other }, kinds)
    }
  }

  function compareErrors(): void {
    const count = new Map<string, { path: string; code: string; served: number; candidate: number }>()
    for (const side of ['served', 'candidate'] as const) {
      for (const { path = [], extensions } of (side === 'served' ? served : candidate).errors ?? []) {
        const text = path.map((key) => (typeof key === 'number' ? '@' : key)).join('.')
        const code = String(extensions?.code ?? 'no code')
        const key = JSON.stringify([text, code])
        const entry = count.get(key) ?? { path: text, code, served: 0, candidate: 0 }
        entry[side]++
        count.set(key, entry)
      }
    }
    for (const { path, code, ...times } of count.values()) {
      if (times.served === times.candidate) continue
      const kindOfSide = (many: number) => (many === 0 ? 'absent' : code)
      note('errors', path, times, [kindOfSide(times.served), kindOfSide(times.candidate)], times)
    }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const own = (object: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

function kindOf(value: unknown): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
