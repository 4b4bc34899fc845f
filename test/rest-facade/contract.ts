import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Operation = { operationId: string; responses: Record<string, unknown>; parameters?: unknown[] }

export const contract = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../rest-facade/directory/openapi.json'), 'utf8'),
) as { paths: Record<string, { get: Operation }>; components: Record<string, unknown>; servers: { url: string }[] }

const ajv = new Ajv2020({ strict: true, allErrors: true })
ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) })
ajv.addVocabulary(['example', 'openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components'])
ajv.addSchema({ $id: 'contract', components: contract.components })

/** The object that a local `$ref` leads to; anything else as it is. */
// biome-ignore lint/suspicious/noExplicitAny: a walk through a document of any shape
export function resolved(value: any): any {
  if (typeof value?.$ref !== 'string') return value
  const steps = (value.$ref as string).slice(2).split('/')
  return steps.reduce<unknown>((object, step) => (object as Record<string, unknown>)[step], contract)
}

const validators = new Map<string, ValidateFunction>()

/**
 * Every way in which `body` breaks what the contract says of this answer; empty when it keeps it.
 */
export function breaches(path: string, status: number, body: unknown): string[] {
  const response = resolved(contract.paths[path]?.get.responses[status])
  if (!response) return [`${path} does not document ${status}`]
  const schema = response.content['application/json'].schema
  const key = `${status} ${path}`
  const validate = validators.get(key) ?? ajv.compile(schema.$ref ? { $ref: `contract${schema.$ref}` } : schema)
  validators.set(key, validate)
  return validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
