import { isDeepStrictEqual } from 'node:util'
import { placesOfErrors } from './comparison.ts'
import type { Answer } from './oracle.ts'
import type { Case } from './small-graph.ts'
import { FORMS } from './subject.ts'
import type { World } from './worlds.ts'

/** What is wrong with our answers to an operation. */
export type Finding = { readonly form: string; readonly truth: Answer; readonly answer: Answer }

/** Whether an answer says nothing else than the truth, with null in some places of it where `said` has nothing either. */
function lacksOnly(truth: unknown, answer: unknown, said: unknown): boolean {
  if (isDeepStrictEqual(truth, answer)) return true
  if (answer === null) return said === null || said === undefined
  if (typeof truth !== 'object' || typeof answer !== 'object' || truth === null || Array.isArray(truth) !== Array.isArray(answer))
    return false
  const names = Object.keys(truth)
  const below = (name: string) => (typeof said === 'object' && said !== null ? Reflect.get(said, name) : undefined)
  return (
    names.join() === Object.keys(answer).join() &&
    names.every((name) => lacksOnly(Reflect.get(truth, name), Reflect.get(answer, name), below(name)))
  )
}

/**
 * What is wrong, by graphql-js executing the same graph as one schema. Under faults the data must be the same, and the same places must be null with an error
 * told; which of several errors is told may differ, because one schema stops at the first. There null is right as well where
 * `ApolloGateway` has nothing.
 */
export async function findingsOf(operation: Case, world: World, isFaulty: boolean): Promise<readonly Finding[]> {
  world.universe.isFaulty = isFaulty
  const truth = await world.truth(operation)
  const findings: Finding[] = []
  for (const form of FORMS) {
    const answer = await world.subjects[form].ask(operation)
    if (isRight(truth, answer) || isTooLarge(answer)) continue
    const said = await world.oracle.ask(operation)
    // The planner cannot plan everything that is valid: fragments inside of each other that exclude each other.
    if (isUnplanned(answer) && said.data === undefined) continue
    // What one fetch could not get is missing where another field requires it, while in one schema nothing requires anything.
    const isTold = said.data ? hasErrorsOf(said, answer) : answer.errors !== undefined
    if (isFaulty && isTold && lacksOnly(truth.data, answer.data, said.data)) continue
    // What an `@interfaceObject` is asked for one type, the planner asks for all: where that fails for another, all that was asked of it in one fetch is gone.
    if (isFaulty && hasStrayError(said, truth) && hasStrayError(answer, truth)) continue
    // Nor is everything that it plans valid.
    if (!world.isSound(operation)) continue
    findings.push({ form, truth, answer })
  }
  return findings
}

const isUnplanned = ({ errors = [] }: Answer) =>
  errors.some(({ message }) => message === 'Expected an operation that can be planned.')

/** Whether an error is told of a field that nothing asked for. */
const hasStrayError = ({ errors = [] }: Answer, { data }: Answer) =>
  errors.some(({ path }) => path && !isAsked(path as readonly (string | number)[], data))

/** Whether a path leads somewhere in an answer, as far as that goes. */
function isAsked([step, ...rest]: readonly (string | number)[], value: unknown): boolean {
  if (step === undefined || value === null) return true
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step) && isAsked(rest, Reflect.get(value, step))
}

/** Some of many random operations ask for more than any client may. */
const isTooLarge = ({ errors = [] }: Answer) => errors.some(({ extensions }) => extensions?.code === 'OPERATION_TOO_LARGE')

const isRight = (truth: Answer, answer: Answer) =>
  JSON.stringify(truth.data) === JSON.stringify(answer.data) && hasErrorsOf(truth, answer)

const hasErrorsOf = (truth: Answer, answer: Answer) => placesOfErrors(truth).join() === placesOfErrors(answer).join()
