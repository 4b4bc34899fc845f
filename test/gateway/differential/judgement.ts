import { type GraphQLSchema, getNamedType, isAbstractType, isInterfaceType, isObjectType } from 'graphql'
import type { Answer } from './answer.ts'
import { isReported, normal } from './comparison.ts'
import { DEVIATIONS, type Right } from './deviations.ts'
import { type Fault, labelOf } from './faults.ts'
import { PENDING, type Pending } from './pending.ts'
import type { Place } from './response-positions.ts'
import type { Form } from './subject.ts'

/**
 * An operation, what stands where in its answer without faults, and the fault that there is now.
 */
export type ComparedCase = {
  readonly at: string
  readonly fault: Fault | null
  readonly places: readonly Place[]
  readonly typedData: unknown
  readonly schema: GraphQLSchema
}

const SHOWN = DEVIATIONS.flatMap(({ shows }) => shows)

/** Every line of the lists of deviations and of what is pending. */
export const LINES: readonly object[] = [...SHOWN, ...PENDING]

/**
 * The answers that are right, the lines that say so against the oracle, and what is wrong with
 * them; null when nobody knows.
 */
export function rightAnswers(said: Answer, compared: ComparedCase) {
  const shown = SHOWN.filter((entry) => entry.at === compared.at)
  const line = shown.find((entry) => (entry.fault ?? 'no fault') === labelOf(compared.fault))
  // Where the oracle errs without a fault, only what is written out by hand says what is right with
  // one.
  if (!line && shown.some((entry) => !entry.fault)) return null
  const answers = line ? answersOf(line.right, said, compared) : [said]
  const isOpen = answers.length > 1
  return {
    answers,
    deviation:
      line && !answers.some((right) => isSame(right, said)) ? [line] : line && 'oneOf' in Object(line.right) ? [line] : [],
    problems: isOpen
      ? []
      : [
          ...answers
            .flatMap((right) => misplacedErrors(right, compared))
            .map((path) => `an error at ${path}, which is no place of the field`),
          ...(answers.some(({ data }) => data === undefined) ? ['no data'] : []),
        ],
  }
}

/**
 * What is right where a field's value has the wrong shape: the answer when that value is null,
 * which is `nulled`, and an error at every place of the field that is null then: where another
 * subgraph said a value, too, that is there. The oracle itself gives up the whole operation.
 */
export function withMisshapen(nulled: Answer, compared: ComparedCase): Answer {
  const own = (placesOfFault(compared) ?? []).filter((path) => endsInNull([...JSON.parse(path), NOWHERE], nulled.data))
  const errors = own.map((path) => ({
    message: 'A value has the wrong shape.',
    path: JSON.parse(path),
    extensions: { code: 'INVALID_GRAPHQL' },
  }))
  return { data: nulled.data, errors: [...(nulled.errors ?? []), ...errors] }
}

/** A step that leads on from null only. */
const NOWHERE = ''

function answersOf(right: Right, said: Answer, compared: ComparedCase): readonly Answer[] {
  if (typeof right === 'object') return 'oneOf' in right ? right.oneOf : [right]
  const code = compared.fault?.kind === 'refuses' ? 'TEAPOT' : 'INTERNAL_SERVER_ERROR'
  const own = placesOfFault(compared) ?? []
  const errors = own.map((path) => ({ message: 'It failed.', path: JSON.parse(path), extensions: { code } }))
  return [{ data: said.data, errors: [...errors, ...(said.errors ?? []).filter((error) => !isReported(error))] }]
}

/** Whether a client is told the same. */
function isSame(right: Answer, answer: Answer): boolean {
  const [one, other] = [normal(right), normal(answer)]
  if (one.data !== other.data || one.reported.join() !== other.reported.join()) return false
  return one.found.includes('*') ? other.found.length > 0 : one.found.join() === other.found.join()
}

/** Null when `answer` is right; otherwise the pending lines that say that it is not. */
export function excuses(
  answers: readonly Answer[],
  answer: Answer,
  at: string,
  fault: Fault | null,
  form: Form,
): readonly Pending[] | null {
  if (answers.some((right) => isSame(right, answer))) return null
  return PENDING.filter(
    (line) => (line.at?.test(at) ?? true) && (line.form ?? form) === form && (line.fault?.test(labelOf(fault)) ?? true),
  )
}

/**
 * Paths of errors of a field that throws which are no place of that field in the answer without
 * faults, or are told twice. Where that answer is null, nobody knows; keys are fetched without
 * being asked for.
 */
function misplacedErrors({ errors = [] }: Answer, compared: ComparedCase): readonly string[] {
  if (compared.fault?.kind !== 'throws' && compared.fault?.kind !== 'refuses') return []
  const own = placesOfFault(compared)
  if (!own || own.length === 0) return []
  const reportedPaths = errors.filter(isReported).map(({ path }) => JSON.stringify(path ?? null))
  return reportedPaths.filter((path, index) => {
    if (reportedPaths.indexOf(path) < index || path === 'null') return true
    return !own.includes(path) && !endsInNull(JSON.parse(path), compared.typedData)
  })
}

/**
 * Where the field of the fault stands in the answer; null for faults that are of no field, and for
 * keys.
 */
function placesOfFault({ fault, places, schema }: ComparedCase): readonly string[] | null {
  if (!fault || !('field' in fault)) return null
  const [type = '', name = ''] = fault.field.split('.')
  const meant = schema.getType(type)
  if (!isObjectType(meant) && !isInterfaceType(meant)) return null
  if (getNamedType(meant.getFields()[name]?.type)?.name === 'ID') return null
  const types = isAbstractType(meant) ? [type, ...schema.getPossibleTypes(meant).map((possible) => possible.name)] : [type]
  return places.filter((place) => types.includes(place.type) && place.field === name).map(({ path }) => JSON.stringify(path))
}

function endsInNull(path: readonly (string | number)[], data: unknown): boolean {
  let value = data
  for (const step of path) {
    if (value === null) return true
    value = typeof value === 'object' ? Reflect.get(value, step) : undefined
    if (value === undefined) return false
  }
  return false
}
