import type { OfferedFeatures } from '../import/features.ts'
import type { FeatureKind } from './changes.ts'
import { FEATURE_RULES, type FeatureRule } from './rules.ts'

/** Where a rule matches. */
export type FeatureFinding = {
  readonly rule: FeatureRule
  readonly feature: FeatureKind
  readonly name: string
  readonly field: FeatureRule['fields'][number]
  readonly start: number
  readonly end: number
  readonly excerpt: string
}

/** A person reads no more. */
const MAX_FINDINGS = 100
/** Matches of one rule in one text: more say nothing new. */
const MAX_MATCHES = 3
const MAX_EXCERPT_LENGTH = 200

/** Severe ones first, then in the order of the lists. */
export function findingsIn({ tools, prompts, resources }: OfferedFeatures): readonly FeatureFinding[] {
  const found = [
    ...tools.flatMap(({ name, title, description, inputSchema, isDestructive }) =>
      matchesIn('TOOL', name, {
        name,
        title,
        description,
        inputSchema,
        annotations: isDestructive ? 'destructiveHint' : null,
      }),
    ),
    ...prompts.flatMap(({ name, description }) => matchesIn('PROMPT', name, { description })),
    ...resources.flatMap(({ uri, name, description }) => matchesIn('RESOURCE', uri, { title: name, description })),
  ]
  return [...found.filter(isSevere), ...found.filter((one) => !isSevere(one))].slice(0, MAX_FINDINGS)
}

export const isSevere = ({ rule }: Pick<FeatureFinding, 'rule'>): boolean => rule.severity === 'HIGH'

/** Whether the text of a description must not reach a model by accident. */
export const isWithheld = (description: string | null): boolean =>
  description !== null && FEATURE_RULES.some((rule) => rule.severity === 'HIGH' && description.search(rule.pattern) >= 0)

function matchesIn(
  feature: FeatureKind,
  name: string,
  texts: Partial<Record<FeatureFinding['field'], string | null>>,
): FeatureFinding[] {
  return FEATURE_RULES.flatMap((rule) =>
    rule.fields.flatMap((field) => {
      const text = texts[field]
      if (text == null) return []
      const found: FeatureFinding[] = []
      for (const match of text.matchAll(rule.pattern)) {
        if (found.length === MAX_MATCHES) break
        const end = match.index + match[0].length
        found.push({ rule, feature, name, field, start: match.index, end, excerpt: visible(match[0]) })
      }
      return found
    }),
  )
}

/** Signs that show nothing, or change the direction of what follows. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text that shows what it holds. */
function visible(text: string): string {
  const shown = text
    .slice(0, MAX_EXCERPT_LENGTH)
    .toWellFormed()
    .replace(UNSEEN, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)
  return shown.length <= MAX_EXCERPT_LENGTH ? shown : `${shown.slice(0, MAX_EXCERPT_LENGTH - 1).toWellFormed()}…`
}
