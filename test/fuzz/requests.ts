import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operationsOf, type ContractOperation as StoreOperation } from '../../rest-facade/store/contract.ts'
import { randomOf } from '../gateway/differential/random.ts'
import { hostileValue, wordFor } from './hostile.ts'

/**
 * What is sent to REST; `as` says whose credentials. A `body` is sent as JSON, a `text` as it is.
 */
export type Sent = {
  readonly as: 'nobody' | 'store' | 'other store' | 'key'
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly text?: string
}

/** As much of a schema as says what fits. */
type Schema = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly readOnly?: boolean
}

/** An operation of one of the contracts, without references. */
export type Operation = {
  readonly facade: 'directory' | 'store' | 'trust'
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[]
  readonly body: Schema | null
}

const MOUNTS = { directory: '', store: '/v1', trust: '' } as const
const documentOf = (facade: Operation['facade']): object =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../rest-facade/${facade}/openapi.json`), 'utf8'))

/** Every operation of the three contracts. */
export const operations: readonly Operation[] = (['directory', 'store', 'trust'] as const).flatMap((facade) =>
  [...operationsOf(documentOf(facade)).values()].flatMap(
    ({ operationId, method, path, otherPaths, parameters, body }: StoreOperation) =>
      [path, ...otherPaths].map((each) => ({
        facade,
        operationId,
        method,
        path: MOUNTS[facade] + each,
        parameters,
        body: (body?.schema as Schema | undefined) ?? null,
      })),
  ),
)

/** Serial ids that may be there, and as many of them as nothing deletes. */
const [ROWS, STABLE_ROWS] = [40, 8]

/**
 * A random request of a seed: what the contract allows at first, then with values that fit by their
 * names, or hostile ones.
 */
export function sentOf(seed: number | string): Sent {
  const random = randomOf(`fuzz ${seed}`)
  const operation = random.pick(operations)
  const hostility = random.pick([0, 0.03, 0.1, 0.3])
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query' && random.chance(0.4))
  const query = parameters.map(({ name, schema }) => `${percent(name)}=${percent(textOf(valueFor(schema ?? {}, name, 0)))}`)
  if (random.chance(hostility / 2))
    query.push(
      `${random.pick(['a', 'limit', 'page', 'fields', '__proto__', 'limit[]'])}=${percent(textOf(hostileValue(random)))}`,
    )
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = operation.parameters.find((parameter) => parameter.name === name)?.schema ?? {}
    return percent(textOf(valueFor(schema, /id$/i.test(name) ? 'id' : name, 0))) || 'x'
  })
  const hasBody = operation.body !== null && !random.chance(hostility / 4)
  const sent: Sent = {
    as:
      operation.facade === 'trust'
        ? random.pick(['key', 'key', 'key', 'nobody', 'store'])
        : random.pick(['store', 'store', 'store', 'store', 'other store', 'nobody']),
    method: operation.method,
    path: path + (query.length > 0 ? `?${query.join('&')}` : ''),
    ...(random.chance(0.1 + hostility) && { headers: headersOf() }),
    ...(hasBody && { body: valueFor(operation.body ?? {}, '', 0) }),
  }
  if (!random.chance(hostility / 3)) return sent
  const { body, ...rest } = sent
  const text = JSON.stringify(body) ?? ''
  switch (random.whole(4)) {
    case 0:
      return { ...rest, text: text.slice(0, random.whole(text.length + 1)) }
    case 1:
      return {
        ...rest,
        text: random.pick(['', 'null', '[]', '1', '"x"', '{}', '{"a":1}}', '\ufeff{}', '{"product":{}}', '[{}]']),
      }
    case 2:
      return { ...sent, body: hostileValue(random) }
    default:
      return { ...sent, method: random.pick(['PATCH', 'DELETE', 'PUT', 'POST', 'OPTIONS', 'HEAD']) }
  }

  function row(): number {
    return operation.method === 'DELETE'
      ? STABLE_ROWS + 1 + random.whole(ROWS)
      : 1 + random.whole(random.pick([STABLE_ROWS, ROWS]))
  }

  function headersOf(): Record<string, string> {
    const header = random.pick([
      [
        'content-type',
        [
          'text/plain',
          'application/json; charset=utf-16',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          'application/JSON;charset=UTF-8',
          '',
        ],
      ],
      ['accept', ['text/html', '*/*;q=0', 'application/xml', 'x'.repeat(1_000)]],
      ['accept-encoding', ['gzip', 'br;q=0', 'zstd', '*;q=x']],
      ['if-none-match', ['*', '""', 'W/"x"', 'x'.repeat(2_000)]],
      ['idempotency-key', ['a', 'b', '', 'x'.repeat(300), '\u00e9']],
      ['accept-language', ['pt', 'x-y-z', '*', ',,,']],
      ['accept-version', ['1', 'x', '-1']],
      ['range', ['bytes=0-1', 'bytes=9-1']],
      ['x-http-method-override', ['DELETE']],
      ['origin', ['https://evil.example', 'null']],
      ['authorization', ['Basic', 'Basic ====', 'Bearer x', 'Basic OjpvOg==', 'Negotiate x', 'Bearer sat_x']],
      ['x-api-key', ['', 'x', 'x'.repeat(500)]],
    ] as const)
    return { [header[0]]: random.pick(header[1] as readonly string[]) }
  }

  function valueFor(schema: Schema, name: string, depth: number): unknown {
    if (random.chance(depth === 0 ? hostility / 3 : hostility)) return hostileValue(random)
    const alternatives = schema.oneOf ?? schema.anyOf
    if (alternatives && alternatives.length > 0) return valueFor(random.pick(alternatives), name, depth)
    if (schema.allOf) {
      const parts = schema.allOf.map((part) => valueFor(part, name, depth))
      return Object.assign({}, ...parts.filter((part) => typeof part === 'object'))
    }
    if (schema.const !== undefined) return schema.const
    if (schema.enum && schema.enum.length > 0) return random.pick(schema.enum)
    const type = Array.isArray(schema.type) ? random.pick(schema.type as readonly string[]) : schema.type
    if (type === 'object' || schema.properties) return objectFor(schema, depth)
    switch (type) {
      case 'array': {
        const length = depth > 6 ? 0 : random.whole(4)
        return Array.from({ length }, () => valueFor(schema.items ?? {}, name, depth + 1))
      }
      case 'integer':
      case 'number':
        return numberFor(schema, name, type === 'integer')
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      default:
        return /(^|_)id$/.test(name) ? String(row()) : wordFor(random, name)
    }
  }

  function objectFor({ properties = {}, required = [] }: Schema, depth: number): unknown {
    const entries = Object.entries(properties).flatMap(([key, inner]): [string, unknown][] => {
      const isWanted = required.includes(key) || Object.keys(properties).length === 1 || random.chance(depth > 4 ? 0.15 : 0.45)
      return isWanted && depth < 8 ? [[key, valueFor(inner, key, depth + 1)]] : []
    })
    if (random.chance(hostility)) {
      const added = random.pick(['__proto__', 'constructor', 'id', 'store_id', 'owner', 'role', 'version', 'created_at', 'x'])
      entries.push([added, hostileValue(random)])
    }
    return Object.fromEntries(entries)
  }

  function numberFor({ minimum, maximum }: Schema, name: string, isWhole: boolean): number {
    if (/(^|_)id$/.test(name)) return row()
    const usual = [0, 1, 2, 3, 10, 50, 100, 250, -1, minimum ?? 0, maximum ?? 1000, (maximum ?? 1000) + 1]
    return random.pick(isWhole ? usual : [...usual, 0.5, 9.99, 12.345, 19.999_99])
  }
}

/**
 * Percent-encoded as UTF-8, also what is no text: half a surrogate becomes bytes that are no UTF-8.
 */
function percent(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}

function textOf(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replace(/^@raw:(.*)@$/, '$1').slice(0, 3_000)
}
