import type { Logger } from 'pino'
import type { Difference } from './compare-results.ts'

/** An operation with the same differences, aggregated over requests. */
export type RecordedDifference = {
  /** SHA-256 of the document, first 12 hexadecimal digits. */
  readonly signature: string
  readonly operationName: string | null
  readonly differences: readonly Difference[]
  /** Number of requests. */
  readonly count: number
  readonly firstAt: string
  readonly lastAt: string
}

/** Upper bound of entries; above it the least recently seen one is dropped. */
export const MAX_RECORDED = 100

/** Records differences, and logs new ones. */
export type DifferenceLog = {
  readonly record: (
    operation: Pick<RecordedDifference, 'signature' | 'operationName'>,
    differences: readonly Difference[],
  ) => void
  /** Least recently seen first. */
  readonly entries: () => readonly RecordedDifference[]
}

export function createDifferenceLog(log: Logger, now: () => Date = () => new Date()): DifferenceLog {
  const recorded = new Map<string, RecordedDifference>()
  return {
    record(operation, differences) {
      // The key has neither amounts, which change with the data, nor an order.
      const places = differences.map(({ part, path, served, candidate }) => JSON.stringify([part, path, served, candidate]))
      const key = JSON.stringify([operation.signature, ...places.sort()])
      const at = now().toISOString()
      const known = recorded.get(key)
      recorded.delete(key)
      recorded.set(key, {
        ...operation,
        differences,
        count: (known?.count ?? 0) + 1,
        firstAt: known?.firstAt ?? at,
        lastAt: at,
      })
      if (known) return
      log.warn({ ...operation, differences: differences.map(lineOf) }, 'the candidate supergraph gave another answer')
      const [oldest] = recorded.keys()
      if (recorded.size > MAX_RECORDED && oldest !== undefined) recorded.delete(oldest)
    },
    entries: () => [...recorded.values()],
  }
}

/** One difference as a line: `data.products.@.price: number → null, 3 times`. */
export function lineOf({ part, path, served, candidate, amounts, count }: Difference): string {
  const place = `${part}${path === '' ? '' : `.${path}`}`
  const other = served === candidate && !amounts ? ' of another value' : ''
  const times = count > 1 ? `, ${count} times` : ''
  return `${place}: ${textOf(part, served, amounts?.served)} → ${textOf(part, candidate, amounts?.candidate)}${other}${times}`
}

/** Kind with its amount: `list of 3`, `2 × TIMEOUT`, `number`. */
function textOf(part: Difference['part'], kind: string, amount: number | undefined): string {
  if (amount === undefined || kind === 'absent') return kind
  if (part === 'data') return `${kind} of ${amount}`
  return amount > 1 ? `${amount} × ${kind}` : kind
}
