import { type DocumentNode, Kind, visit } from 'graphql'
import type { Logger } from 'pino'
import type { RequestContext } from '../subgraph-client/link.ts'

/**
 * Finds the active labels of `@override(label:)` for a request, apart from `percent(x)`, which the
 * gateway decides. Unknown labels are ignored.
 */
export type FindOverrideLabels = (context: RequestContext) => Iterable<string> | Promise<Iterable<string>>

/** Progressive overrides of a supergraph. */
export type OverrideLabels = {
  /** Labels that can affect the plan of a document, sorted. */
  readonly labelsIn: (document: DocumentNode) => readonly string[]
  /** The labels that are active for a request. Never rejects. */
  readonly activeFor: (labels: readonly string[], context: RequestContext) => Promise<ReadonlySet<string>>
}

/** `percent(5)`, `percent(0.5)`: the share of requests, in percent. */
const PERCENT = /^percent\((\d+(?:\.\d+)?)\)$/

/**
 * Reads the progressive overrides of a supergraph; null when it has none. While a label is active,
 * the field is resolved by the subgraph with `@override`, otherwise by the previous one; decided
 * once per request. When `find` throws or times out, its labels are inactive.
 */
export function overrideLabelsIn(
  supergraph: DocumentNode,
  {
    find,
    needed,
    log,
    random = Math.random,
    hookTimeoutMs = HOOK_TIMEOUT_MS,
  }: {
    readonly find: FindOverrideLabels | null
    /** Fields that plans fetch although no client selects them, such as keys. */
    readonly needed: ReadonlySet<string>
    readonly log: Logger
    readonly random?: () => number
    readonly hookTimeoutMs?: number
  },
): OverrideLabels | null {
  const fieldsByLabel = fieldsOfLabels(supergraph)
  if (fieldsByLabel.size === 0) return null
  return {
    labelsIn(document) {
      const selected = new Set(needed)
      visit(document, { Field: ({ name }) => void selected.add(name.value) })
      return [...fieldsByLabel].flatMap(([label, fields]) => (fields.isDisjointFrom(selected) ? [] : [label])).sort()
    },
    async activeFor(labels, context) {
      const active = new Set<string>()
      let custom: ReadonlySet<string> | null = null
      for (const label of labels) {
        const percent = PERCENT.exec(label)?.[1]
        if (percent !== undefined) {
          if (random() * 100 < Number(percent)) active.add(label)
          continue
        }
        custom ??= await customLabels(context)
        if (custom.has(label)) active.add(label)
      }
      return active
    },
  }

  async function customLabels(context: RequestContext): Promise<ReadonlySet<string>> {
    if (!find) return NONE
    try {
      const found = find(context)
      return new Set(found instanceof Promise ? await within(found, hookTimeoutMs) : found)
    } catch (error) {
      log.error({ err: error, requestId: context.caller.requestId }, 'the labels of @override could not be found')
      return NONE
    }
  }
}

/** Timeout of the hook that finds labels. */
const HOOK_TIMEOUT_MS = 1_000

async function within<Value>(running: Promise<Value>, milliseconds: number): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`Expected labels within ${milliseconds} ms.`)), milliseconds)
  try {
    return await Promise.race([running, promise])
  } finally {
    clearTimeout(timer)
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Names of fields by the label of their `@join__field`. */
function fieldsOfLabels(supergraph: DocumentNode): ReadonlyMap<string, ReadonlySet<string>> {
  const fields = new Map<string, Set<string>>()
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue
    for (const { name, directives = [] } of definition.fields ?? []) {
      for (const directive of directives) {
        if (directive.name.value !== 'join__field') continue
        const value = directive.arguments?.find((argument) => argument.name.value === 'overrideLabel')?.value
        if (value?.kind !== Kind.STRING) continue
        const own = fields.get(value.value) ?? new Set()
        fields.set(value.value, own.add(name.value))
      }
    }
  }
  return fields
}
