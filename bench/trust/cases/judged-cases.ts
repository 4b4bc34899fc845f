import { type JudgedCase, judgedCase } from '../../../cli/trust/case.ts'
import { engine } from '../../../subgraphs/trust/assessment/engine.ts'
import { attackCases } from './attacks.ts'
import { hostingCases } from './hosting.ts'
import { isHeldOut } from './labelled-case.ts'
import { laterCases, namesCases } from './names.ts'

export type CaseFigures = {
  readonly judged: readonly JudgedCase[]
  /** Cases with another action than those that their label allows. */
  readonly outside: readonly JudgedCase[]
  /** Cases with an action that their label forbids. */
  readonly forbidden: readonly JudgedCase[]
}

/** All labelled cases of one half, judged by this release's policy. */
export async function judgedHalf(half: 'tuned' | 'held-out'): Promise<CaseFigures> {
  const cases = [...(await namesCases()), ...(await attackCases()), ...(await hostingCases())].filter(
    (one) => isHeldOut(one) === (half === 'held-out'),
  )
  const judged = [...cases, ...(half === 'tuned' ? await laterCases() : [])].map((one) => judgedCase(one, engine))
  return {
    judged,
    outside: judged.filter(({ breaches }) => breaches.length > 0),
    forbidden: judged.filter(({ wanted, decision }) => decision !== null && wanted.expect.mustNot.includes(decision.action)),
  }
}
