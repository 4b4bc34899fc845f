import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Reply } from './ask.ts'

// biome-ignore lint/suspicious/noExplicitAny: a walk through a document of any shape
export const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../../rest-facade/trust/openapi.json'), 'utf8')) as any

const ajv = new Ajv2020({ strict: false, allErrors: true })
ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text))
ajv.addSchema({ $id: 'contract', components: contract.components })
const validators = new Map<string, ValidateFunction>()

/** Every way in which an answer breaks what the contract says of it; empty when it keeps it. */
export function breaches(on: string, { status, headers, text }: Reply): string[] {
  const [method = '', path = ''] = on.split(' ')
  const reference = contract.paths[path]?.[method.toLowerCase()]?.responses[status]
  if (!reference) return [`${on} does not document ${status}`]
  const response = reference.$ref ? contract.components.responses[reference.$ref.split('/').at(-1)] : reference
  if (status === 204) return text === '' ? [] : ['a body']
  const type = headers['content-type']?.split(';')[0] ?? ''
  const schema = response.content[type]?.schema
  if (!schema) return [`${on} does not document ${type} for ${status}`]
  const name = `${status} ${on} ${type}`
  const validate = validators.get(name) ?? ajv.compile(schema.$ref ? { $ref: `contract${schema.$ref}` } : schema)
  validators.set(name, validate)
  if (type === 'text/csv') return []
  const bodies =
    type === 'application/x-ndjson'
      ? text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [JSON.parse(text)]
  return bodies.flatMap((body) => breachesOf(body, validate, status))
}

function breachesOf(body: object, validate: ValidateFunction, status: number): string[] {
  const unknown = status < 400 ? [] : Object.keys(body).filter((property) => !Object.hasOwn(PROBLEM, property))
  const wrong = validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  return [...wrong, ...unknown.map((property) => `/${property} is not documented`)]
}
/**
 * Problems may get further members, so that their schema is open; what there is by now is
 * documented.
 */
const PROBLEM = contract.components.schemas.Problem.properties
