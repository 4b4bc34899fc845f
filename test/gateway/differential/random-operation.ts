import { isDeepStrictEqual } from 'node:util'
import { placesOfErrors } from './comparison.ts'
import type { Answer } from './oracle.ts'
import type { Case } from './small-graph.ts'
import { FORMS } from './subject.ts'
import type { World } from './worlds.ts'

/** What is wrong with our answers to an operation. */
export type Finding = { readonly form: string; readonly truth: Answer; readonly answer: Answer }

/** Whether an answer says nothing else than the truth, with null in some places of it. */
function lacksOnly(truth: unknown, answer: unknown): boolean {
  if (answer === null || isDeepStrictEqual(truth, answer)) return true
  if (typeof truth !== 'object' || typeof answer !== 'object' || truth === null || Array.isArray(truth) !== Array.isArray(answer))
    return false
  const names = Object.keys(truth)
  return (
    names.join() === Object.keys(answer).join() &&
    names.every((name) => lacksOnly(Reflect.get(truth, name), Reflect.get(answer, name)))
  )
}

/**
 * What is wrong, by graphql-js executing the same graph as one schema. Under faults the data must be the same, and the same places must be null with an error
 * told; which of several errors is told may differ, because one schema stops at the first. There null is right as well where
 * `ApolloGateway` has it.
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
    // What one fetch could not get is missing where another field requires it, while in one schema nothing requires anything.
    if (isFaulty && lacksOnly(truth.data, answer.data) && isDeepStrictEqual(said.data, answer.data) && hasErrorsOf(said, answer))
      continue
    // Nor is everything that it plans valid.
    if (!world.isSound(operation)) continue
    findings.push({ form, truth, answer })
  }
  return findings
}

const isUnplanned = ({ errors = [] }: Answer) =>
  errors.some(({ message }) => message === 'Expected an operation that can be planned.')

const isRight = (truth: Answer, answer: Answer) =>
  JSON.stringify(truth.data) === JSON.stringify(answer.data) && hasErrorsOf(truth, answer)

const hasErrorsOf = (truth: Answer, answer: Answer) => placesOfErrors(truth).join() === placesOfErrors(answer).join()
