import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import type { OverrideLabels } from '../planning/override-labels.ts'
import type { RunOperation } from './run-operation.ts'

/**
 * Cache of one operation's compiled variants, by set of active labels; evicted ones are compiled
 * again.
 */
const VARIANTS = { maxEntries: 16, maxCharacters: 16_000 }
/** The labels of a request without active ones. */
export const NO_LABELS: ReadonlySet<string> = new Set()

/** Memoizes `compile` by the active labels among `labels`. Throws when `compile` does. */
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
 * Runs an operation whose plan depends on `@override` labels; active labels are chosen once per
 * request. Throws when `compile` cannot plan the operation.
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
