/**
 * Decisions about labelled cases with evidence.
 *
 *   node bench/cases.ts            the half that rules are tuned on, with what disagrees
 *   node bench/cases.ts held-out   the figures of the other half, by class, without its cases
 */
import { judgedHalf } from './trust/cases/judged-cases.ts'

const half = process.argv[2] === 'held-out' ? 'held-out' : 'tuned'
const { judged, outside, forbidden } = await judgedHalf(half)
const percent = (part: number) => `${part} of ${judged.length} (${((100 * part) / judged.length).toFixed(1)} %)`
console.log(`${half}: outside of the band ${percent(outside.length)}, forbidden ${percent(forbidden.length)}`)
const classOf = (name: string) => name.split(':', 1)[0] ?? name
for (const one of new Set(judged.map(({ wanted }) => classOf(wanted.name)))) {
  const count = (some: typeof judged) => some.filter(({ wanted }) => classOf(wanted.name) === one).length
  console.log(`  ${one.padEnd(30)} ${count(judged)}, outside ${count(outside)}, forbidden ${count(forbidden)}`)
}
if (half === 'tuned') {
  for (const { wanted, decision, breaches } of outside) {
    const { trust, threat, deviation } = decision?.scores ?? {}
    console.log(`\n${wanted.name}\n  ${breaches.join('; ')}`)
    console.log(
      `  trust ${trust?.score} threat ${threat?.score} deviation ${deviation?.score}, ${decision?.audit.state}, ${decision?.reasonCodes.join(' ')}`,
    )
  }
}
