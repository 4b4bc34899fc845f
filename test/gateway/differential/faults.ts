import { type ExecutionResult, GraphQLError } from 'graphql'

/** A fault of one field, `Type.field`. */
export type FieldFault = {
  /**
   * A resolver throws what clients must not see, or refuses with a code of its own. Or the subgraph
   * breaks its schema without an error: null where that promises a value, an object in place of a
   * leaf, something else in place of a list or an object.
   */
  readonly kind: 'throws' | 'refuses' | 'null' | 'wrong' | 'misshapen'
  readonly subgraph: string
  readonly field: string
}

/** What goes wrong in one subgraph while one operation runs. */
export type Fault =
  | FieldFault
  /** It answers every fetch with `errors` alone, or not at all. */
  | { readonly kind: 'errors-only' | 'unreachable'; readonly subgraph: string }
  /** It answers fewer or more entities than it was asked about, or knows none of them. */
  | { readonly kind: 'too-few' | 'too-many' | 'no-entities'; readonly subgraph: string }

export const labelOf = (fault: Fault | null): string =>
  fault === null ? 'no fault' : `${fault.subgraph} ${fault.kind}${'field' in fault ? ` ${fault.field}` : ''}`

/** Faults that a schema executed in this process cannot have: its answers conform. */
export const breaksSchema = (fault: Fault | null): boolean =>
  fault !== null && ['null', 'wrong', 'misshapen', 'too-few', 'too-many'].includes(fault.kind)

/** What a subgraph answers under a fault. */
export async function injected(
  fault: Fault | null,
  subgraph: string,
  ask: () => Promise<ExecutionResult> | ExecutionResult,
): Promise<ExecutionResult> {
  if (fault?.subgraph !== subgraph) return ask()
  if (fault.kind === 'unreachable') throw new Error('connect ECONNREFUSED 10.0.0.1:4001')
  if (fault.kind === 'errors-only')
    return { errors: [new GraphQLError('The service is full.', { extensions: { code: 'FULL' } })] }
  const answer = await ask()
  if (!answer.data || !ENTITY_FAULTS.has(fault.kind)) return answer
  const data = Object.entries(answer.data).map(([key, value]) => [key, isEntityList(key, value) ? changed(fault, value) : value])
  return data.some(([key, value]) => value !== answer.data?.[String(key)]) ? { data: Object.fromEntries(data) } : answer
}

const ENTITY_FAULTS: ReadonlySet<string> = new Set(['too-few', 'too-many', 'no-entities'])

/** Fetches that are sent together have theirs under aliases. */
const isEntityList = (key: string, value: unknown): value is readonly unknown[] =>
  /^_(?:entities|\d+)$/.test(key) && Array.isArray(value)

function changed({ kind }: Fault, entities: readonly unknown[]): readonly unknown[] {
  if (kind === 'too-few') return entities.slice(1)
  return kind === 'too-many' ? [...entities, null] : entities.map(() => null)
}

/**
 * Every fault of an operation that reached `reached` (entries of a tap): each subgraph in turn, and
 * each kind.
 */
export function faultsFor(reached: ReadonlySet<string>, entityFetches: ReadonlySet<string>): readonly Fault[] {
  const fields = [...reached].map((entry) => {
    const [subgraph = '', field = '', nullability, leaf] = entry.split(' ')
    return { subgraph, field, isNullable: nullability === 'nullable', isLeaf: leaf === 'leaf' }
  })
  return [...new Set(fields.map(({ subgraph }) => subgraph))].flatMap((subgraph): Fault[] => {
    const own = fields.filter((field) => field.subgraph === subgraph)
    return [
      ...own.map(({ field }, index): Fault => ({ kind: index % 2 === 0 ? 'throws' : 'refuses', subgraph, field })),
      ...own.filter(({ isNullable }) => !isNullable).map(({ field }): Fault => ({ kind: 'null', subgraph, field })),
      ...own.filter(({ isLeaf }) => isLeaf).map(({ field }): Fault => ({ kind: 'wrong', subgraph, field })),
      ...own.filter(({ isLeaf }) => !isLeaf).map(({ field }): Fault => ({ kind: 'misshapen', subgraph, field })),
      { kind: 'errors-only', subgraph },
      { kind: 'unreachable', subgraph },
      ...(entityFetches.has(subgraph)
        ? (['too-few', 'too-many', 'no-entities'] as const).map((kind): Fault => ({ kind, subgraph }))
        : []),
    ]
  })
}
