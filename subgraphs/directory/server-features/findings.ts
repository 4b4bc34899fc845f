import { type FoldedText, foldedText, hasUnseen, type TextForm } from '../../../clients/evidence/folded-text.ts'
import { visibleText } from '../../../clients/evidence/visible-text.ts'
import type { OfferedFeatures } from '../import/features.ts'
import { cleanText } from '../import/text.ts'
import { argumentsText, type FeatureKind } from './changes.ts'
import { FEATURE_RULES, type FeatureRule, type RuleField } from './rules.ts'

/** Where a rule matches. */
export type FeatureFinding = {
  readonly rule: FeatureRule
  readonly feature: FeatureKind
  readonly name: string
  readonly field: RuleField
  /** Place in the text as it was sent; UTF-16 units. */
  readonly start: number
  readonly end: number
  readonly excerpt: string
}

/** A person reads no more. */
const MAX_FINDINGS = 100
/** Matches of one rule in one text: more say nothing new. */
const MAX_MATCHES = 3

/** How the text of a field is read: the first form in which a rule matches counts. */
const FORMS: Readonly<Record<RuleField, readonly TextForm[]>> = {
  name: ['prose', 'name'],
  uri: ['prose', 'name'],
  title: ['prose'],
  description: ['prose'],
  inputSchema: ['json'],
  arguments: ['prose', 'name'],
  mimeType: ['prose', 'name'],
  annotations: ['prose'],
}

/** Severe ones first, then in the order of the lists. */
export function findingsIn({ tools, prompts, resources }: OfferedFeatures): readonly FeatureFinding[] {
  const found = [
    ...tools.flatMap(({ name, title, description, inputSchema, isDestructive }, index) =>
      matchesIn('TOOL', shownName(name, index), {
        name,
        title,
        description,
        inputSchema,
        annotations: isDestructive ? 'destructiveHint' : null,
      }),
    ),
    ...prompts.flatMap(({ name, description, arguments: names }, index) =>
      matchesIn('PROMPT', shownName(name, index), { name, description, arguments: argumentsText(names) }),
    ),
    ...resources.flatMap(({ uri, name, description, mimeType }, index) =>
      matchesIn('RESOURCE', shownName(uri, index), { uri, name, description, mimeType }),
    ),
  ]
  return [...found.filter(isSevere), ...found.filter((one) => !isSevere(one))].slice(0, MAX_FINDINGS)
}

export const isSevere = ({ rule }: Pick<FeatureFinding, 'rule'>): boolean => rule.severity === 'HIGH'

const SEVERE_RULES = FEATURE_RULES.filter((rule) => isSevere({ rule }))

/** Whether a text must not reach a model by accident. */
export function isWithheld(text: string | null, field: RuleField): boolean {
  if (text === null) return false
  const readings = readingsOf(text, field).map((reading) => reading.text)
  return SEVERE_RULES.some(({ pattern, readsRaw }) => (readsRaw ? [text] : readings).some((read) => read.search(pattern) !== -1))
}

/**
 * A name or URI on one line without signs that show nothing; `[withheld 3]`, which calls nothing, in
 * place of the third of a list that a severe finding marks.
 */
export function shownName(name: string, index?: number): string {
  const shown = isWithheld(name, 'name') ? null : cleanText(name, name.length)
  return shown ?? (index === undefined ? '[withheld]' : `[withheld ${index + 1}]`)
}

/** Names of tools that no severe finding marks, in their order. */
export const safeNames = (names: readonly string[]): readonly string[] => names.filter((name) => !isWithheld(name, 'name'))

function readingsOf(text: string, field: RuleField): readonly FoldedText[] {
  const readings = FORMS[field].map((form) => foldedText(text, form))
  return hasUnseen(text) ? [...readings, ...FORMS[field].map((form) => foldedText(text, form, ' '))] : readings
}

function matchesIn(feature: FeatureKind, name: string, texts: Partial<Record<RuleField, string | null>>): FeatureFinding[] {
  const rules = FEATURE_RULES.filter(({ kind }) => kind === 'INJECTION' || feature === 'TOOL')
  return Object.entries(texts).flatMap(([key, text]) => {
    // `texts` has these keys only.
    const field = key as RuleField
    if (text === null) return []
    const readings = readingsOf(text, field)
    return rules
      .filter(({ fields }) => fields.includes(field))
      .flatMap((rule) =>
        placesOf(rule, text, readings).map(({ start, end }) => ({
          rule,
          feature,
          name,
          field,
          start,
          end,
          excerpt: visibleText(text.slice(start, end)),
        })),
      )
  })
}

type Place = { readonly start: number; readonly end: number }

/** Where a rule matches, in the text as it was sent. */
function placesOf({ pattern, readsRaw }: FeatureRule, text: string, readings: readonly FoldedText[]): readonly Place[] {
  if (readsRaw) return matchesOf(pattern, text)
  for (const { text: folded, startOf, endOf } of readings) {
    const places = matchesOf(pattern, folded)
    if (places.length > 0) return places.map(({ start, end }) => ({ start: startOf(start), end: endOf(end) }))
  }
  return []
}

function matchesOf(pattern: RegExp, text: string): readonly Place[] {
  const places: Place[] = []
  for (const match of text.matchAll(pattern)) {
    if (places.length === MAX_MATCHES) break
    places.push({ start: match.index, end: match.index + match[0].length })
  }
  return places
}
