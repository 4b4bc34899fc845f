import { getNullableType, isInputObjectType } from 'graphql'
import { type ContractSchema, envelopeOf } from '../contract.ts'
import { isObject, readJson } from './exact-json.ts'
import {
  fieldsOf,
  type InputField,
  noteFault,
  objectInput,
  type RequestFault,
  unreadKeys,
  wirePath,
  wireSibling,
} from './input.ts'

/** Reads the body of one operation into variables of its document. */
export type BodyReader = {
  /**
   * Returns variables, and notes faults. Absent and empty bodies give none where the contract
   * allows it.
   */
  readonly read: (bytes: unknown, faults: RequestFault[]) => Readonly<Record<string, unknown>>
  /** The request's name for a field that the graph rejects. */
  readonly wireField: (field: string) => string
  /** The request's name for the field `name` next to `field`; null where there is none. */
  readonly wireSibling: (field: string, name: string) => string | null
  /** Documented keys that nothing reads. */
  readonly gaps: readonly string[]
}

/**
 * Compiles the reading of a body: into `$input` where the document has that variable, else into the
 * other variables. `isGiven` tells fields of the input that come from parameters or headers.
 */
export function bodyReader(
  { schema, isRequired }: { readonly schema: ContractSchema; readonly isRequired: boolean },
  variables: ReadonlyMap<string, InputField>,
  isGiven: (field: string) => boolean,
): BodyReader {
  const inputType = variables.get('input')
  const type = inputType && getNullableType(inputType.type)
  const all = isInputObjectType(type) ? fieldsOf(type) : variables
  const fields = new Map([...all].filter(([name]) => !isGiven(name)))

  const envelope = envelopeOf(schema)
  const inside = (envelope === null ? undefined : schema.properties?.[envelope]) ?? schema
  const input = objectInput(fields, inside)
  const prefix = envelope ?? ''
  const optional = envelope === null ? schema['x-envelope'] : undefined

  return {
    read(bytes, faults) {
      const isEmpty = !(bytes instanceof Uint8Array) || bytes.length === 0
      if (isEmpty && !isRequired) return {}
      const json = isEmpty ? { fault: 'Expected a body of JSON, got none.' } : readJson(bytes)
      if ('fault' in json) {
        faults.push({ field: '', message: json.fault })
        return {}
      }
      const value = content(json.value, faults)
      return isInputObjectType(type) ? { input: value } : (value ?? {})
    },
    wireField: (field) => join(prefix, wirePath(input, field.replace(/^input\./, ''))),
    wireSibling: (field, name) => wireSibling(input, field.replace(/^input\./, ''), name),
    gaps: unreadKeys(fields, inside, join('body', prefix)),
  }

  function content(given: unknown, faults: RequestFault[]): Readonly<Record<string, unknown>> | undefined {
    // An object input returns an object, or nothing for what is none.
    const read = (value: unknown, at: string) => input.read(value, at, faults) as Readonly<Record<string, unknown>> | undefined
    if (!isObject(given)) return noteFault(faults, '', 'an object', given)
    if (envelope !== null) {
      const isBare = schema['x-bare'] === true && !Object.hasOwn(given, envelope)
      return isBare ? read(given, '') : read(given[envelope], envelope)
    }
    return optional !== undefined && isObject(given[optional]) ? read(given[optional], optional) : read(given, '')
  }
}

const join = (...steps: readonly string[]): string => steps.filter((step) => step !== '').join('.')
