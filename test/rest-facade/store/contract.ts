import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { type ContractOperation, type ContractSchema, operationsOf } from '../../../rest-facade/store/contract.ts'
import type { Reply } from '../ask.ts'

export const ROOM = join(import.meta.dirname, '../../../rest-facade/store')
export const contract = JSON.parse(readFileSync(join(ROOM, 'openapi.json'), 'utf8')) as object
export const operations = operationsOf(contract)

/** Ajv knows `nullable` of OpenAPI 3.0; the words of ours say nothing about validity. */
const ajv = new Ajv({ strict: false, allErrors: true })
ajv.addFormat('int32', { type: 'number', validate: (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 31 - 1 })
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
const validators = new Map<string, ValidateFunction>()

const patterns = [...operations.values()].flatMap((operation) =>
  [operation.path, ...operation.otherPaths].map((path) => ({
    operation,
    // What is written out comes before what stands for anything.
    names: path.split('{').length,
    pattern: new RegExp(`^/v1${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  })),
)

/** The operation that a request means; undefined where the contract has none. */
export const operationFor = (method: string, path: string): ContractOperation | undefined =>
  patterns
    .filter(({ operation, pattern }) => operation.method === method && pattern.test(path))
    .sort((one, other) => one.names - other.names)[0]?.operation

/**
 * Every way in which an answer breaks what the contract says of its operation; empty when it keeps
 * it.
 */
export function breaches(operation: ContractOperation, { status, headers, text }: Reply): string[] {
  const isSuccess = status === operation.status
  const schema = isSuccess ? operation.answer : operation.failures.get(status)
  if (schema === undefined) return [`${operation.operationId} does not document ${status}: ${text}`]
  const limits =
    status === 401 ? [] : LIMIT_HEADERS.filter((name) => !/^\d+$/.test(headers[name] ?? '')).map((name) => `no ${name}`)
  if (schema === null) return text === '' ? limits : [...limits, 'a body']
  if (headers['content-type'] !== 'application/json; charset=utf-8') return [`the type ${headers['content-type']}`]
  const body: unknown = JSON.parse(text)
  const key = `${status} ${operation.operationId}`
  const validate = validators.get(key) ?? ajv.compile(schema)
  validators.set(key, validate)
  const wrong = validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  return [...limits, ...wrong, ...(isSuccess ? keyFaults(schema, body, '') : [])]
}

const LIMIT_HEADERS = ['minute', 'second'].flatMap((span) => [
  `jumpseller-per${span}ratelimit-limit`,
  `jumpseller-per${span}ratelimit-remaining`,
])

/**
 * Keys that are missing, or not documented, or in another order than documented; lists that hold
 * null.
 */
function keyFaults(schema: ContractSchema, value: unknown, at: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      item === null ? [`${at}/${index} is null`] : keyFaults(schema.items ?? {}, item, `${at}/${index}`),
    )
  if (typeof value !== 'object' || value === null || !schema.properties) return []
  const [documented, given] = [Object.keys(schema.properties), Object.keys(value)]
  const wrong = documented.join() === given.join() ? [] : [`${at} has the keys ${given.join()} and not ${documented.join()}`]
  return [
    ...wrong,
    ...Object.entries(schema.properties).flatMap(([name, property]) =>
      keyFaults(property, Reflect.get(value, name), `${at}/${name}`),
    ),
  ]
}
