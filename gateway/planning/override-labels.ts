import { type DocumentNode, Kind, visit } from 'graphql'
import type { Logger } from 'pino'
import type { RequestContext } from '../subgraph-client/link.ts'

/**
 * The labels of `@override(label:)` that are active for a request, beside `percent(x)`, which the
 * gateway decides itself. Unknown labels are ignored.
 */
export type FindOverrideLabels = (context: RequestContext) => Iterable<string> | Promise<Iterable<string>>

/** The progressive overrides of a supergraph. */
export type OverrideLabels = {
  /** The labels that may change the plan of a document, sorted. */
  readonly labelsIn: (document: DocumentNode) => readonly string[]
  /** Those of `labels` that are active for one request. Never rejects. */
  readonly activeFor: (labels: readonly string[], context: RequestContext) => Promise<ReadonlySet<string>>
}

/** `percent(5)`, `percent(0.5)`: the share of requests, in percent. */
const PERCENT = /^percent\((\d+(?:\.\d+)?)\)$/

/**
 * Reads the progressive overrides of a supergraph; null when it has none. A field belongs to the
 * subgraph with `@override` while its label is active, and to the former one otherwise. The
 * choice is made once per request. When `find` throws or hangs, none of its labels is active.
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
    /** Fields that plans fetch without being selected, such as keys and required ones. */
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

/** How long a request waits for its labels: a hook that hangs must not hang operations. */
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

/** The names of fields by the label of their `@join__field`. */
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
