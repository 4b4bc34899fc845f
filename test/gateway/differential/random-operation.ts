import { placesOfErrors } from './comparison.ts'
import type { Answer } from './oracle.ts'
import type { Case } from './small-graph.ts'
import { FORMS } from './subject.ts'
import type { World } from './worlds.ts'

/** What is wrong with our answers to an operation. */
export type Finding = { readonly form: string; readonly truth: Answer; readonly answer: Answer }

/**
 * What is wrong, by graphql-js executing the same graph as one schema. Under faults the data must be the same, and the same places must be null with an error
 * told; which of several errors is told may differ, because one schema stops at the first.
 */
export async function findingsOf(operation: Case, world: World, isFaulty: boolean): Promise<readonly Finding[]> {
  world.universe.isFaulty = isFaulty
  const truth = await world.truth(operation)
  const findings: Finding[] = []
  for (const form of FORMS) {
    const answer = await world.subjects[form].ask(operation)
    if (isRight(truth, answer)) continue
    const said = await world.oracle.ask(operation)
    // The planner cannot plan everything that is valid: fragments inside of each other that exclude each other.
    if (isUnplanned(answer) && said.data === undefined) continue
    // Nor is everything that it plans valid.
    if (!world.isSound(operation)) continue
    findings.push({ form, truth, answer })
  }
  return findings
}

const isUnplanned = ({ errors = [] }: Answer) =>
  errors.some(({ message }) => message === 'Expected an operation that can be planned.')

const isRight = (truth: Answer, answer: Answer) =>
  JSON.stringify(truth.data) === JSON.stringify(answer.data) && placesOfErrors(truth).join() === placesOfErrors(answer).join()
