/**
 * How well marks of prompt injection are found, over texts of our own writing.
 *
 *   node bench/risk.ts            the half that rules are tuned on, with what is rated wrong
 *   node bench/risk.ts held-out   the figures of the other half, without its texts
 */
import { ratedTexts, riskFigures, type Share } from './evidence/risk/figures.ts'
import { heldOut } from './evidence/risk/held-out.ts'
import { tuned } from './evidence/risk/tuned.ts'

const isHeldOut = process.argv[2] === 'held-out'
const rated = ratedTexts(isHeldOut ? heldOut : tuned)
const { precision, recall, byCategory, falseAlarms } = riskFigures(rated)
const shown = ({ part, whole }: Share) => `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`

console.log(`${rated.length} texts\nprecision            ${shown(precision)}\nrecall               ${shown(recall)}`)
for (const [category, share] of Object.entries(byCategory)) console.log(`  ${category.padEnd(18)} ${shown(share)}`)
console.log('false alarms')
for (const [kind, share] of Object.entries(falseAlarms)) console.log(`  ${kind.padEnd(22)} ${shown(share)}`)
if (!isHeldOut) {
  for (const { labelled, risk, isFlagged } of rated) {
    const isMissed = labelled.attack.some((category) => !isFlagged || !risk.categories.includes(category))
    if (!isMissed && (labelled.benign === null || !isFlagged)) continue
    const rules = risk.findings.map(({ rule, points, excerpt }) => `${rule} ${points} “${excerpt}”`).join('; ')
    console.log(`\n${labelled.benign ?? labelled.attack.join(' ')}: ${risk.score} ${labelled.text}\n  ${rules}`)
  }
}
