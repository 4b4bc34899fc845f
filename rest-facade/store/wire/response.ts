import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isAbstractType, isObjectType } from 'graphql'
import type { ContractOperation } from '../contract.ts'
import type { StoreRoute } from '../route.ts'
import { notFound, type StoreFailure } from './failure.ts'
import type { RequestFault } from './input.ts'
import type { Slice } from './parameters.ts'
import type { RequestReader } from './request.ts'
import { bodyWriter, constantBody } from './response-body.ts'
import type { ReadDocument, Selected } from './selection.ts'
import { shapedWriter } from './shaped-body.ts'

type Data = Readonly<Record<string, unknown>>

/** Writes the response body of one operation from its data. */
export type ResponseWriter = {
  /** `text` is null where the contract has no body. `slice` cuts a page out of a list. */
  readonly write: (data: Data, slice?: Slice) => { readonly text: string | null } | { readonly failure: StoreFailure }
  /** Documented keys without a selected field. */
  readonly gaps: readonly string[]
}

/** HTTP statuses of failure types that all mutations share. */
const STATUSES: StoreRoute['failures'] = { ValidationError: 400, NotFoundError: 404, ConflictError: 409 }

/**
 * Compiles the writing of successes and failures. Throws for an answer path that selects nothing,
 * and for fields that the contract does not have.
 */
export function responseWriter(
  route: StoreRoute,
  { answer }: ContractOperation,
  { root }: ReadDocument,
  schema: GraphQLSchema,
  requestNames: Pick<RequestReader, 'wireField' | 'wireSibling'>,
): ResponseWriter {
  const statuses = { ...STATUSES, ...route.failures }
  const unionFields = unionFieldsOf(root, schema, statuses)
  const { write, gaps } = writing()

  return {
    gaps,
    write(data, slice) {
      for (const name of unionFields) {
        const failure = failureIn(data[name])
        if (failure) return { failure }
      }
      const absence = route.absence?.(data)
      if (absence != null) return { failure: notFound(absence) }
      const text = write(data, slice)
      return text === undefined ? { failure: notFound() } : { text }
    },
  }

  /** `write` returns undefined when the answer path ends in null. */
  function writing(): {
    readonly write: (data: Data, slice: Slice | undefined) => string | null | undefined
    readonly gaps: readonly string[]
  } {
    if (answer === null) return { write: () => null, gaps: [] }
    if (route.answer === null) {
      const text = constantBody(answer)
      if (text === null) throw new Error('the contract has an answer, so declare its body.')
      return { write: () => text, gaps: [] }
    }
    const steps = route.answer.split('.')
    const selected = follow(steps)
    const { shape } = route
    const writer = shape ? { write: shapedWriter(answer), gaps: [] } : bodyWriter(answer, selected)
    return {
      gaps: writer.gaps,
      write(data, slice) {
        let value: unknown = data
        for (const step of steps) {
          // `follow` has checked that every step but the last selects an object.
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

  function failureIn(result: unknown): StoreFailure | null {
    if (typeof result !== 'object' || result === null) return null
    // The checks above hold: every union field selects __typename, every failure its message.
    const { __typename, message, errors, currentVersion, retryAfterSeconds } = result as MutationFailure
    const status = Object.hasOwn(statuses, __typename) ? statuses[__typename] : undefined
    if (status === undefined) return null
    const faults = (errors ?? []).map((error) => withWireNames(error, requestNames))
    return {
      status: typeof status === 'number' ? status : status({ ...result }),
      message: faults.length > 0 ? faults.map((fault) => fault.message).join(' ') : message,
      faults,
      currentVersion: currentVersion ?? null,
      ...(retryAfterSeconds != null && { headers: { 'retry-after': String(retryAfterSeconds) } }),
    }
  }
}

/** Root fields that can fail. Throws for selections that do not identify failures. */
function unionFieldsOf(root: Selected, schema: GraphQLSchema, statuses: StoreRoute['failures']): readonly string[] {
  return [...root.fields()].flatMap(([name, selected]) => {
    const type = getNamedType(selected.type)
    if (!isAbstractType(type)) return []
    if (!selected.fields().has('__typename')) throw new Error(`"${name}" can fail, so select its __typename.`)
    for (const member of schema.getPossibleTypes(type)) {
      if (Object.hasOwn(statuses, member.name) && !selected.fields(member).has('message'))
        throw new Error(`"${name}" can be ${member.name}, so select its message.`)
    }
    return [name]
  })
}

/** A fault of the graph with the field names of the request. */
function withWireNames(
  { field, message }: RequestFault,
  { wireField, wireSibling }: Pick<RequestReader, 'wireField' | 'wireSibling'>,
): RequestFault {
  const wire = wireField(field)
  // The received value is quoted as well, and must not be taken for a field.
  const [expected = '', ...got] = message.replaceAll(`"${field}"`, `\`${wire}\``).split(', got ')
  const named = expected.replaceAll(/"(\w+)"/g, (whole, name: string) => {
    const sibling = wireSibling(field, name)
    return sibling === null ? whole : `\`${sibling}\``
  })
  return { field: wire, message: [named, ...got].join(', got ') }
}

/** Fields that failures of mutations select. */
type MutationFailure = {
  readonly __typename: string
  readonly message: string
  readonly errors?: readonly RequestFault[]
  readonly currentVersion?: number | null
  readonly retryAfterSeconds?: number | null
}
