import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isAbstractType, isObjectType } from 'graphql'
import type { Operation } from '../contract.ts'
import type { Route } from '../route.ts'
import { answerWriter, constantAnswer } from './answer.ts'
import { type Failure, missing } from './failure.ts'
import type { Slice } from './parameters.ts'
import type { RequestReader } from './request.ts'
import type { ReadDocument, Selected } from './selection.ts'
import { shapedWriter } from './shaped.ts'

type Data = Readonly<Record<string, unknown>>

/** Turns the data of one operation into the body of its answer. */
export type ResponseWriter = {
  /** Null where the contract answers nothing; or what the data says instead of an answer. Of a list, the slice when there is one. */
  readonly write: (data: Data, slice?: Slice) => { readonly text: string | null } | { readonly failure: Failure }
  /** Documented keys that nothing is selected for. */
  readonly gaps: readonly string[]
}

/** Failures that are the same everywhere, by their types in the graph. */
const STATUSES: Route['failures'] = { ValidationError: 400, NotFoundError: 404, ConflictError: 409 }

/** Compiles the writing of answers and failures. Throws for a way that leads nowhere, and for what the contract does not have. */
export function responseWriter(
  route: Route,
  { answer }: Operation,
  { root }: ReadDocument,
  schema: GraphQLSchema,
  { wireField, wireSibling }: Pick<RequestReader, 'wireField' | 'wireSibling'>,
): ResponseWriter {
  const statuses = { ...STATUSES, ...route.failures }
  const outcomes = [...root.fields()].flatMap(([name, selected]) => {
    const type = getNamedType(selected.type)
    if (!isAbstractType(type)) return []
    const members = schema.getPossibleTypes(type)
    if (!selected.fields().has('__typename')) throw new Error(`"${name}" can fail, so select its __typename.`)
    for (const member of members) {
      if (Object.hasOwn(statuses, member.name) && !selected.fields(member).has('message'))
        throw new Error(`"${name}" can be ${member.name}, so select its message.`)
    }
    return [name]
  })
  const { write, gaps } = writing()

  return {
    gaps,
    write(data, slice) {
      for (const name of outcomes) {
        const failure = failureIn(data[name])
        if (failure) return { failure }
      }
      const absence = route.absence?.(data)
      if (absence != null) return { failure: missing(absence) }
      const text = write(data, slice)
      return text === undefined ? { failure: missing() } : { text }
    },
  }

  /** What `write` returns is undefined when the way ends in null. */
  function writing(): {
    readonly write: (data: Data, slice: Slice | undefined) => string | null | undefined
    readonly gaps: readonly string[]
  } {
    if (answer === null) return { write: () => null, gaps: [] }
    if (route.answer === null) {
      const text = constantAnswer(answer)
      if (text === null) throw new Error('the contract has an answer, so say what it is.')
      return { write: () => text, gaps: [] }
    }
    const steps = route.answer.split('.')
    const selected = follow(steps)
    const { shape } = route
    const writer = shape ? { write: shapedWriter(answer), gaps: [] } : answerWriter(answer, selected)
    return {
      gaps: writer.gaps,
      write(data, slice) {
        let value: unknown = data
        for (const step of steps) {
          value = (value as Data)[step]
          if (value === null || value === undefined) return undefined
        }
        const part = slice && Array.isArray(value) ? value.slice(slice.from, slice.to) : value
        return writer.write(shape ? shape(part) : part)
      },
    }
  }

  function follow(steps: readonly string[]): Selected {
    return steps.reduce((at, step) => {
      const type = getNamedType(at.type)
      const successes = isAbstractType(type)
        ? schema.getPossibleTypes(type).filter(({ name }) => !Object.hasOwn(statuses, name))
        : []
      const members: readonly (GraphQLObjectType | undefined)[] = isObjectType(type) ? [undefined] : successes
      const next = members.map((member) => at.fields(member).get(step)).find((found) => found !== undefined)
      if (!next) throw new Error(`nothing is selected at "${step}" of "${steps.join('.')}".`)
      return next
    }, root)
  }

  function failureIn(outcome: unknown): Failure | null {
    if (typeof outcome !== 'object' || outcome === null) return null
    const { __typename, message, errors, currentVersion, retryAfterSeconds } = outcome as Outcome
    const status = Object.hasOwn(statuses, __typename) ? statuses[__typename] : undefined
    if (status === undefined) return null
    const faults = (errors ?? []).map((error) => renamed(error.field, error.message))
    return {
      status: typeof status === 'number' ? status : status(outcome as Data),
      message: faults.length > 0 ? faults.map((fault) => fault.message).join(' ') : message,
      faults,
      currentVersion: currentVersion ?? null,
      ...(retryAfterSeconds != null && { headers: { 'retry-after': String(retryAfterSeconds) } }),
    }
  }

  function renamed(field: string, message: string) {
    const wire = wireField(field)
    // What was got is quoted as well, and is nobody's name.
    const [expected = '', ...got] = message.replaceAll(`"${field}"`, `\`${wire}\``).split(', got ')
    const named = expected.replaceAll(/"(\w+)"/g, (whole, name: string) => {
      const sibling = wireSibling(field, name)
      return sibling === null ? whole : `\`${sibling}\``
    })
    return { field: wire, message: [named, ...got].join(', got ') }
  }
}

/** What failures select. */
type Outcome = {
  readonly __typename: string
  readonly message: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
  readonly currentVersion?: number | null
  readonly retryAfterSeconds?: number | null
}
