import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { recordedResponses } from './recorded-responses.ts'

/** The part of OpenAPI 3.1 that our documents use and the reference shows. */
export type Contract = {
  readonly info: { readonly title: string; readonly version: string; readonly summary?: string; readonly description?: string }
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, ReferenceOperation>>>>
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> }
}

export type SecurityScheme = {
  readonly type: string
  readonly in?: string
  readonly name?: string
  readonly scheme?: string
  readonly description?: string
}

export type ReferenceOperation = {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters?: readonly (ReferenceParameter | Pointer)[]
  readonly requestBody?: Body | Pointer
  readonly responses: Readonly<Record<string, Response | Pointer>>
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

export type Pointer = { readonly $ref: string }
export type ReferenceParameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: ReferenceSchema
  readonly example?: unknown
}
export type Body = { readonly required?: boolean; readonly content?: Readonly<Record<string, Media>> }
export type Response = { readonly description: string; readonly content?: Readonly<Record<string, Media>> }
export type Media = {
  readonly schema?: ReferenceSchema
  example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

/** JSON Schema as far as it is shown; what is not here is in the document itself. */
export type ReferenceSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, ReferenceSchema>>
  readonly required?: readonly string[]
  readonly items?: ReferenceSchema
  readonly additionalProperties?: boolean | ReferenceSchema
  readonly anyOf?: readonly ReferenceSchema[]
  readonly oneOf?: readonly ReferenceSchema[]
  readonly allOf?: readonly ReferenceSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  example?: unknown
  readonly examples?: readonly unknown[]
}

/** A contract of a REST facade. */
export type FacadeContract = {
  /** Folder of the facade. */
  readonly name: string
  /** Where it is served. */
  readonly path: string
  /** What stands in front of its paths. */
  readonly base: string
  readonly contract: Contract
}

/** The facades with a contract, in the order in which they are listed. */
const FACADES = [
  { name: 'directory', path: '/api/openapi.json', base: '' },
  { name: 'trust', path: '/v1/decide/openapi.json', base: '' },
  { name: 'store', path: '/v1/openapi.json', base: '/v1' },
] as const

/** The contracts of all REST facades, with recorded responses as examples of their operations. */
export function contracts(): readonly FacadeContract[] {
  const recorded = recordedResponses()
  return FACADES.map((facade) => {
    const contract = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../rest-facade', facade.name, 'openapi.json'), 'utf8'),
      // Our own OpenAPI document, which a test reads.
    ) as Contract
    return { ...facade, contract: withExamples(contract, recorded[facade.name] ?? {}) }
  })
}

/**
 * The contract with bodies, by the ids of operations, as examples of what these answer, and of what
 * others answer that share the response or its schema. Changes the contract.
 */
function withExamples(contract: Contract, bodies: Readonly<Record<string, unknown>>): Contract {
  for (const operation of Object.values(contract.paths).flatMap((methods) => Object.values(methods))) {
    const body = ownValue(bodies, operation.operationId)
    const media = body === undefined ? null : successOf(operation, contract)?.media
    if (!media?.schema) continue
    media.example ??= body
    if ('$ref' in media.schema) followed(media.schema, contract).example ??= body
  }
  return contract
}

/** The first response that is no refusal, with its body of JSON; null: it has none. */
export function successOf(
  { responses }: ReferenceOperation,
  contract: Contract,
): { readonly status: string; readonly media: Media } | null {
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  const media = response && followed<Response>(response, contract).content?.['application/json']
  return status && media ? { status, media } : null
}

/**
 * What a pointer points at inside the contract, and anything else as it is. Throws when there is
 * nothing: the contract is wrong then.
 */
export function followed<Value extends object>(value: Value | Pointer, contract: Contract): Value {
  // Our own OpenAPI document: references lead to values.
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as Value
  const found = value.$ref
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    // Our own OpenAPI document: references lead to values.
    .reduce<unknown>((inside, part) => (inside as Record<string, unknown> | undefined)?.[part], contract)
  if (found === undefined) throw new Error(`Expected ${value.$ref} to be in the contract "${contract.info.title}".`)
  // Our own OpenAPI document: references lead to values.
  return followed(found as Value | Pointer, contract)
}
