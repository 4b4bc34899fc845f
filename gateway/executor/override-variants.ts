import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import type { OverrideLabels } from '../planning/override-labels.ts'
import type { RunOperation } from './run-operation.ts'

/** Plans of one operation, one per set of active labels; evicted ones are made again. */
const VARIANTS = { maxEntries: 16, maxCharacters: 16_000 }

/**
 * Runs an operation whose plan depends on labels of `@override`: each request chooses its active
 * labels once. `compile` throws for an operation that cannot be planned.
 */
export function runOverridden(
  overrides: OverrideLabels,
  labels: readonly string[],
  compile: (active: ReadonlySet<string>) => RunOperation,
): RunOperation {
  const variants = boundedCache<{ readonly run: RunOperation }>(VARIANTS)
  const variantOf = (active: ReadonlySet<string>): RunOperation => {
    const key = labels.map((label) => (active.has(label) ? '1' : '0')).join('')
    const known = variants.get(key)
    if (known) return known.run
    const run = compile(active)
    variants.set(key, { run })
    return run
  }
  variantOf(new Set())
  return async (variables, context) => variantOf(await overrides.activeFor(labels, context))(variables, context)
}
