import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { breaches, operationFor } from '../rest-facade/store/contract.ts'
import { type Operation, operations, type Sent } from './requests.ts'
import type { Reply } from './target.ts'

/** Codes that say that something is broken on our side; no input may bring them about. */
const FAULTS: readonly unknown[] = ['INTERNAL_SERVER_ERROR', 'SUBGRAPH_UNAVAILABLE', 'TIMEOUT', undefined]

type GraphqlBody = { readonly data?: unknown; readonly errors?: readonly { readonly extensions?: { readonly code?: unknown } }[] }

/** What is wrong with an answer of the graph, whatever was asked; null when nothing is. */
export function faultOfGraph({ status, headers, text }: Reply): string | null {
  if (status >= 500) return `status ${status}: ${text.slice(0, 500)}`
  if (!/json/.test(headers['content-type'] ?? '')) return `type ${headers['content-type']}: ${text.slice(0, 200)}`
  const body = parsed(text) as GraphqlBody | undefined
  if (typeof body !== 'object' || body === null) return `no JSON: ${text.slice(0, 200)}`
  // A list is answered with a list.
  const results = Array.isArray(body) ? (body as readonly GraphqlBody[]) : [body]
  for (const { data, errors } of results) {
    if (data === undefined && !errors?.length) return `neither data nor errors: ${text.slice(0, 200)}`
    const broken = errors?.find(({ extensions }) => FAULTS.includes(extensions?.code))
    if (broken) return JSON.stringify(broken)
  }
  return null
}

/**
 * What an answer came to, for figures of a run: `data`, `partial`, or the first code; of REST its
 * status.
 */
export function resultOf({ status, text }: Reply): string {
  const body = parsed(text) as Partial<GraphqlBody> | null | undefined
  const [data, errors] = [body?.data, body?.errors]
  if (!Array.isArray(errors)) return data ? 'data' : String(status)
  return data ? 'partial' : String(errors[0]?.extensions?.code)
}

/** What is wrong with an answer of REST to this request; null when nothing is. */
export function faultOfRest({ method, path }: Sent, reply: Reply): string | null {
  const { status, headers, text } = reply
  if (status >= 500) return `status ${status}: ${text.slice(0, 500)}`
  if (status === 204 || status === 304 || method === 'HEAD') return text === '' ? null : `a body with ${status}`
  const where = path.split('?', 1)[0] ?? ''
  const operation = operationFor(method, where)
  // Some successes of the store have no body.
  if (text === '' && operation?.answer === null && status === operation.status) return null
  const isText = status < 300 && /^text\/(plain|markdown)/.test(headers['content-type'] ?? '')
  if (isText) return null
  if (!/json/.test(headers['content-type'] ?? '')) return `${status} of type ${headers['content-type']}: ${text.slice(0, 200)}`
  const body = parsed(text)
  if (body === undefined) return `no JSON: ${text.slice(0, 200)}`
  // What is refused before it is known what is asked for has no contract, nor has a path that is
  // none.
  if ([405, 406, 414, 415].includes(status) || NOWHERE.test(text)) return null
  const wrong =
    operation && !isDirectoryOrTrust(where)
      ? breaches(operation, { ...reply, ...RAW(reply) })
      : others(method, where, status, body)
  return wrong.length > 0 ? `${status} ${wrong.slice(0, 5).join('; ')}: ${text.slice(0, 300)}` : null
}

const NOWHERE = /"message":"(There is nothing at this path|Expected a path whose percent-encoding is valid)\./

/** What the checks of the store want beside: nothing of it is looked at. */
const RAW = ({ text }: Reply) => ({ bytes: Buffer.from(text), json: null })

const isDirectoryOrTrust = (path: string) => operationOf('', path) !== null

const patterns = operations
  .filter(({ facade }) => facade !== 'store')
  .map((operation) => ({ operation, pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
const operationOf = (method: string, path: string): Operation | null =>
  patterns.find(({ operation, pattern }) => (method === '' || operation.method === method) && pattern.test(path))?.operation ??
  null

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
const documents = Object.fromEntries(
  (['directory', 'trust'] as const).map((facade) => {
    const file = join(import.meta.dirname, `../../rest-facade/${facade}/openapi.json`)
    const document = JSON.parse(readFileSync(file, 'utf8'))
    ajv.addSchema({ $id: facade, components: document.components })
    return [facade, document]
  }),
)
const validators = new Map<string, ValidateFunction>()

function others(method: string, path: string, status: number, body: unknown): readonly string[] {
  const operation = operationOf(method, path)
  if (!operation) return []
  const { facade } = operation
  const document = documents[facade]
  const written = document.paths[operation.path]?.[method.toLowerCase()]?.responses[status]
  if (!written) return [`${operation.operationId} does not document it`]
  const response = written.$ref ? document.components.responses[written.$ref.split('/').at(-1)] : written
  const schema = Object.entries<{ schema?: object }>(response.content ?? {}).find(([type]) => /json/.test(type))?.[1].schema
  if (!schema) return [`${operation.operationId} documents no body`]
  const name = `${facade} ${operation.operationId} ${status}`
  const validate = validators.get(name) ?? ajv.compile(pointed(schema, facade))
  validators.set(name, validate)
  return validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const pointed = (schema: object, facade: string): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${facade}#/`))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
