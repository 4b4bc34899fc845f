import { ownValue } from '../../../platform/collections/lookup-table.ts'
import type { FeatureList, OfferedFeatures } from '../import/features.ts'

export type FeatureKind = 'TOOL' | 'PROMPT' | 'RESOURCE'

/** One difference between two probes. */
export type Change = {
  readonly change: 'ADDED' | 'REMOVED' | 'CHANGED'
  readonly feature: FeatureKind
  readonly name: string
  readonly field: string | null
  readonly before: string | null
  readonly after: string | null
}

/** Longest text that a change keeps, in UTF-16 units. */
const MAX_TEXT_LENGTH = 1_000
/** A server that changes more than this at once is another server. */
const MAX_CHANGES = 200

type Texts = Readonly<Record<string, string | null>>

/**
 * What differs, in the order: tools, prompts, resources; by name; added and removed as a whole. At
 * most 200. A list that goes on behind what was kept does not say what it lacks.
 */
export function changesBetween(before: OfferedFeatures, after: OfferedFeatures): readonly Change[] {
  const bounds = (list: FeatureList) => ({ wasCut: isCut(before, list), isCut: isCut(after, list) })
  return [
    ...differences('TOOL', textsOf(before.tools, toolTexts), textsOf(after.tools, toolTexts), bounds('tools')),
    ...differences('PROMPT', textsOf(before.prompts, promptTexts), textsOf(after.prompts, promptTexts), bounds('prompts')),
    ...differences(
      'RESOURCE',
      textsOf(before.resources, resourceTexts),
      textsOf(after.resources, resourceTexts),
      bounds('resources'),
    ),
  ].slice(0, MAX_CHANGES)
}

/** Answers that earlier releases stored do not say which list was cut. */
const isCut = ({ cutLists, isTruncated }: OfferedFeatures, list: FeatureList): boolean => cutLists?.includes(list) ?? isTruncated

const toolTexts = ({ name, title, description, inputSchema, isReadOnly, isDestructive }: OfferedFeatures['tools'][number]) => ({
  name,
  texts: { title, description, inputSchema, annotations: hintsText(isReadOnly, isDestructive) },
})

const hintsText = (isReadOnly: boolean | null, isDestructive: boolean | null): string | null =>
  isReadOnly === null && isDestructive === null ? null : `readOnly: ${isReadOnly}, destructive: ${isDestructive}`

const promptTexts = ({ name, description, arguments: names }: OfferedFeatures['prompts'][number]) => ({
  name,
  texts: { description, arguments: argumentsText(names) },
})

/** Names of arguments as one text. */
export const argumentsText = (names: readonly string[]): string => names.join(', ')

const resourceTexts = ({ uri, name, description, mimeType }: OfferedFeatures['resources'][number]) => ({
  name: uri,
  texts: { name, description, mimeType },
})

const textsOf = <Feature>(
  features: readonly Feature[],
  read: (feature: Feature) => { readonly name: string; readonly texts: Texts },
): ReadonlyMap<string, Texts> => new Map(features.map(read).map(({ name, texts }) => [name, texts]))

function differences(
  feature: FeatureKind,
  before: ReadonlyMap<string, Texts>,
  after: ReadonlyMap<string, Texts>,
  { wasCut, isCut }: { readonly wasCut: boolean; readonly isCut: boolean },
): readonly Change[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.flatMap((name): readonly Change[] => {
    const [was, is] = [before.get(name), after.get(name)]
    const whole = { feature, name, field: null, before: null, after: null }
    if (!was) return wasCut ? [] : [{ change: 'ADDED', ...whole }]
    if (!is) return isCut ? [] : [{ change: 'REMOVED', ...whole }]
    return Object.keys(is).flatMap((field) => {
      // Both have the fields of the same function above.
      const [old, current] = [ownValue(was, field) ?? null, ownValue(is, field) ?? null]
      return old === current
        ? []
        : [{ change: 'CHANGED' as const, feature, name, field, before: shortened(old), after: shortened(current) }]
    })
  })
}

const shortened = (text: string | null): string | null => text?.slice(0, MAX_TEXT_LENGTH).toWellFormed() ?? null
