/**
 * How well evidence is rated, over pages made for it.
 *
 *   node bench/evidence.ts
 *
 * Extracts and rates every page of evidence/pages.ts, prints how often each tier was given for
 * each, and the pages that were rated otherwise than expected.
 */
import { confusionTable, judgedPages } from './evidence/confusion.ts'

const judged = judgedPages()
const misses = judged.filter(({ page, rating }) => rating.tier !== page.expected)

console.log(confusionTable(judged))
console.log(`\n${judged.length - misses.length} of ${judged.length} as expected. Otherwise:`)
for (const { page, rating } of misses) {
  console.log(
    `  ${page.name}: ${rating.tier} (${rating.codes.join(' ')}) instead of ${page.expected}; ${JSON.stringify(rating.measured)}`,
  )
}
