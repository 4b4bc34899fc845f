import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import type { OverrideLabels } from '../planning/override-labels.ts'
import type { RunOperation } from './run-operation.ts'

/** What is compiled of one operation, by sets of active labels; evicted ones are made again. */
const VARIANTS = { maxEntries: 16, maxCharacters: 16_000 }
const NO_LABELS: ReadonlySet<string> = new Set()

/**
 * What `compile` makes of an operation for a set of active labels; only those of `labels` tell sets
 * apart. Throws what `compile` throws.
 */
export function createVariants<Variant extends object>(
  labels: readonly string[],
  compile: (active: ReadonlySet<string>) => Variant,
): (active: ReadonlySet<string>) => Variant {
  if (labels.length === 0) {
    let only: Variant | null = null
    return () => {
      only ??= compile(NO_LABELS)
      return only
    }
  }
  const variants = boundedCache<Variant>(VARIANTS)
  return (active) => {
    const key = labels.map((label) => (active.has(label) ? '1' : '0')).join('')
    const known = variants.get(key)
    if (known) return known
    const variant = compile(active)
    variants.set(key, variant)
    return variant
  }
}

/**
 * Runs an operation whose plan depends on labels of `@override`: each request chooses its active
 * labels once. `compile` throws for an operation that cannot be planned.
 */
export function runOverridden(
  overrides: OverrideLabels,
  labels: readonly string[],
  compile: (active: ReadonlySet<string>) => RunOperation,
): RunOperation {
  const variantOf = createVariants(labels, compile)
  variantOf(NO_LABELS)
  return async (variables, context) =>
    variantOf(context.activeLabels ?? (await overrides.activeFor(labels, context)))(variables, context)
}
