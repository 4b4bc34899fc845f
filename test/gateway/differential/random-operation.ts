import { isDeepStrictEqual } from 'node:util'
import { type DocumentNode, Kind, parse, type SelectionSetNode } from 'graphql'
import { BOUNDS } from '../../../gateway/limits/limits.ts'
import type { Answer } from './answer.ts'
import { placesOfErrors } from './comparison.ts'
import type { Case } from './small-graph.ts'
import { FORMS } from './subject.ts'
import type { World } from './worlds.ts'

/** What is wrong with our answers to an operation. */
export type Finding = { readonly form: string; readonly truth: Answer; readonly answer: Answer }

/**
 * Whether an answer says nothing else than the truth, with null in some places beside those of
 * errors, or above them.
 */
const lacksOnlyBeside = (errors: readonly string[], truth: unknown, answer: unknown): boolean =>
  differsOnly(truth, answer, (path) =>
    errors.some((error) => {
      const parent = (JSON.parse(error) as unknown[]).slice(0, -1)
      return parent.length > 0 && parent.every((step, at) => at >= path.length || String(step) === path[at])
    }),
  )

/**
 * Whether an answer says nothing else than the truth, with null in some places where `said` has
 * nothing either.
 */
function lacksOnlyWith(said: unknown, truth: unknown, answer: unknown): boolean {
  return differsOnly(truth, answer, (path) => {
    const there = path.reduce((value, name) => Reflect.get(Object(value), name), said)
    return there === null || there === undefined
  })
}

function differsOnly(
  truth: unknown,
  answer: unknown,
  mayLack: (path: readonly string[]) => boolean,
  path: readonly string[] = [],
): boolean {
  if (isDeepStrictEqual(truth, answer)) return true
  if (answer === null) return mayLack(path)
  if (typeof truth !== 'object' || typeof answer !== 'object' || truth === null || Array.isArray(truth) !== Array.isArray(answer))
    return false
  const names = Object.keys(truth)
  return (
    names.join() === Object.keys(answer).join() &&
    names.every((name) => differsOnly(Reflect.get(truth, name), Reflect.get(answer, name), mayLack, [...path, name]))
  )
}

/**
 * What is wrong, by graphql-js executing the same graph as one schema. Under faults the data must
 * be the same, and the same places must be null with an error told; which of several errors is told
 * may differ, because one schema stops at the first. There null is right as well where
 * `ApolloGateway` has nothing.
 */
export async function findingsOf(operation: Case, world: World, isFaulty: boolean): Promise<readonly Finding[]> {
  world.universe.isFaulty = isFaulty
  const truth = await world.truth(operation)
  const findings: Finding[] = []
  for (const form of FORMS) {
    const answer = await world.subjects[form].ask(operation)
    if (isRight(truth, answer) || isTooLarge(answer, operation)) continue
    const said = await world.oracle.ask(operation)
    // The planner cannot plan everything that is valid: fragments inside of each other that exclude
    // each other.
    if (isUnplanned(answer) && said.data === undefined) continue
    // What one fetch could not get is missing where another field requires it, while in one schema
    // nothing requires anything.
    if (isFaulty && hasErrorsOf(said, answer) && lacksOnlyWith(said.data, truth.data, answer.data)) continue
    // What an `@interfaceObject` is asked for one type, the planner asks for all: where that fails
    // for another, all that was asked of it in one fetch is lacking.
    const strays = strayErrors(answer, truth)
    const isStray = strays.length > 0 && isDeepStrictEqual(strays, strayErrors(said, truth))
    if (isFaulty && isStray && lacksOnlyBeside(strays, truth.data, answer.data)) continue
    // Nor is everything that it plans valid.
    if (!world.isSound(operation)) continue
    findings.push({ form, truth, answer })
  }
  return findings
}

const isUnplanned = ({ errors = [] }: Answer) =>
  errors.some(({ message }) => message === 'Expected an operation that can be planned.')

/** The places of errors about fields that nothing asked for. */
const strayErrors = ({ errors = [] }: Answer, { data }: Answer): readonly string[] =>
  errors
    .flatMap(({ path }) => (path && !hasPath(path as readonly (string | number)[], data) ? [JSON.stringify(path)] : []))
    .sort()

/** Whether a path leads somewhere in an answer, as far as that goes. */
function hasPath([step, ...rest]: readonly (string | number)[], value: unknown): boolean {
  if (step === undefined || value === null) return true
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step) && hasPath(rest, Reflect.get(value, step))
}

/**
 * Some of many random operations ask for more aliases than any client may, when each fragment
 * counts where it is used.
 */
const isTooLarge = ({ errors = [] }: Answer, { query }: Case) =>
  errors.some(({ extensions }) => extensions?.code === 'OPERATION_TOO_LARGE') && aliasesIn(parse(query)) > BOUNDS.aliases

function aliasesIn({ definitions }: DocumentNode): number {
  const inSet = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + (selection.alias ? 1 : 0) + inSet(selection.selectionSet)
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + inSet(selection.selectionSet)
      const fragment = definitions.find(
        (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value,
      )
      return sum + inSet(fragment && 'selectionSet' in fragment ? fragment.selectionSet : undefined)
    }, 0)
  const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  return inSet(operation && 'selectionSet' in operation ? operation.selectionSet : undefined)
}

const isRight = (truth: Answer, answer: Answer) =>
  JSON.stringify(truth.data) === JSON.stringify(answer.data) && hasErrorsOf(truth, answer)

const hasErrorsOf = (truth: Answer, answer: Answer) => placesOfErrors(truth).join() === placesOfErrors(answer).join()
