import { contentOfPage } from '../../clients/evidence/page.ts'
import { type EvidenceRating, rateEvidence, TIERS, type Tier } from '../../clients/evidence/rate.ts'
import { type Page, pages } from './pages.ts'

export type Judged = { readonly page: Page; readonly rating: EvidenceRating }

/** All pages, extracted and rated. */
export const judgedPages = (): readonly Judged[] =>
  pages.map((page) => ({ page, rating: rateEvidence(contentOfPage(page.html)) }))

/** How many pages of the tier in `row` were given the tier in `column`. */
export function countOf(judged: readonly Judged[], row: Tier, column: Tier): number {
  return judged.filter(({ page, rating }) => page.expected === row && rating.tier === column).length
}

/** Expected tiers down, given ones across. */
export function confusionTable(judged: readonly Judged[]): string {
  const width = Math.max(...TIERS.map((tier) => tier.length))
  return [
    `${'expected \\ given'.padEnd(width)}  ${TIERS.join('  ')}`,
    ...TIERS.map(
      (row) =>
        `${row.padEnd(width)}  ${TIERS.map((column) => String(countOf(judged, row, column)).padStart(column.length)).join('  ')}`,
    ),
  ].join('\n')
}
