import { textOf } from '../../../clients/evidence/content.ts'
import { contentOfPage } from '../../../clients/evidence/page.ts'
import { type ContentRisk, rateContentRisk } from '../../../clients/evidence/risk.ts'
import { RISK_CATEGORIES } from '../../../clients/evidence/risk-rules.ts'
import type { LabelledText } from './labelled-text.ts'

export type RatedText = { readonly labelled: LabelledText; readonly risk: ContentRisk; readonly isFlagged: boolean }

/** Rates texts as the gate does. Flagged: medium or high risk. */
export const ratedTexts = (texts: readonly LabelledText[]): readonly RatedText[] =>
  texts.map((labelled) => {
    const content = labelled.form === 'html' ? contentOfPage(labelled.text) : null
    const risk = rateContentRisk(
      content
        ? { ...content, text: textOf(content), title: content.title, hidden: content.hidden ?? [] }
        : { text: labelled.text },
    )
    return { labelled, risk, isFlagged: risk.level === 'medium' || risk.level === 'high' }
  })

/** Part of a whole, with the numbers that it comes from. */
export type Share = { readonly part: number; readonly whole: number }
export type RiskFigures = {
  readonly precision: Share
  readonly recall: Share
  /** Attacks of a category that are flagged with this category among the findings. */
  readonly byCategory: Readonly<Record<string, Share>>
  /** Benign texts that are flagged, by kind. */
  readonly falseAlarms: Readonly<Record<string, Share>>
}

export function riskFigures(rated: readonly RatedText[]): RiskFigures {
  const share = (among: readonly RatedText[], isPart: (one: RatedText) => boolean): Share => ({
    part: among.filter(isPart).length,
    whole: among.length,
  })
  const isAttack = ({ labelled }: RatedText) => labelled.attack.length > 0
  const kinds = [...new Set(rated.flatMap(({ labelled }) => labelled.benign ?? []))]
  return {
    precision: share(
      rated.filter((one) => one.isFlagged),
      isAttack,
    ),
    recall: share(rated.filter(isAttack), (one) => one.isFlagged),
    byCategory: Object.fromEntries(
      RISK_CATEGORIES.map((category) => [
        category,
        share(
          rated.filter(({ labelled }) => labelled.attack.includes(category)),
          ({ isFlagged, risk }) => isFlagged && risk.categories.includes(category),
        ),
      ]),
    ),
    falseAlarms: Object.fromEntries(
      kinds.map((kind) => [
        kind,
        share(
          rated.filter(({ labelled }) => labelled.benign === kind),
          (one) => one.isFlagged,
        ),
      ]),
    ),
  }
}
