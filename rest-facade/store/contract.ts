/**
 * A schema of OpenAPI 3.0, as far as the contract uses them. `x-…` is explained in the contract's
 * own description.
 */
export type ContractSchema = {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly description?: string
  readonly nullable?: boolean
  readonly properties?: Readonly<Record<string, ContractSchema>>
  readonly required?: readonly string[]
  readonly items?: ContractSchema
  readonly enum?: readonly (string | number)[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly maxLength?: number
  readonly format?: string
  /** Of responses only: not read from requests. */
  readonly readOnly?: boolean
  readonly 'x-format'?: 'iso8601'
  readonly 'x-input'?: string
  readonly 'x-words'?: Readonly<Record<string, string | number>>
  readonly 'x-aliases'?: Readonly<Record<string, string>>
  readonly 'x-envelope'?: string
  readonly 'x-bare'?: true
  readonly 'x-part'?: string
  readonly 'x-entries'?: true
}

/** A parameter of an operation. Those in headers are the same everywhere. */
export type ContractParameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: ContractSchema
}

/** One operation of the contract, without references. */
export type ContractOperation = {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the mount, with `{name}` for a segment or a part of one. */
  readonly path: string
  /** Further paths of the same form. */
  readonly otherPaths: readonly string[]
  readonly parameters: readonly ContractParameter[]
  /** Null where there is no body. */
  readonly body: { readonly schema: ContractSchema; readonly isRequired: boolean } | null
  /** Status of a success. */
  readonly status: number
  /** Body of a success; null where it has none. */
  readonly answer: ContractSchema | null
  /** Bodies of failures by status. */
  readonly failures: ReadonlyMap<number, ContractSchema>
  /** Scope that a token needs; null where any credentials suffice. */
  readonly scope: string | null
}

type Media = { readonly content?: { readonly 'application/json'?: { readonly schema: ContractSchema } } }
type DocumentedOperation = {
  readonly operationId: string
  readonly parameters?: readonly ContractParameter[]
  readonly requestBody?: Media & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Media>>
  readonly 'x-scope'?: string
  readonly 'x-paths'?: readonly string[]
}

/**
 * Every operation of an OpenAPI document by its id. Throws for references that are dangling or
 * circular.
 */
export function operationsOf(document: object): ReadonlyMap<string, ContractOperation> {
  // The document is ours: a test holds it against the specification of OpenAPI.
  const { paths } = withoutReferences(document) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  }
  const operations = new Map<string, ContractOperation>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, documented] of Object.entries(methods)) {
      const statuses = Object.entries(documented.responses).map(([status, { content }]) => ({
        status: Number(status),
        schema: content?.['application/json']?.schema ?? null,
      }))
      const success = statuses.find(({ status }) => status < 300)
      if (!success) throw new Error(`Expected ${documented.operationId} to document a success.`)
      const schema = documented.requestBody?.content?.['application/json']?.schema
      operations.set(documented.operationId, {
        operationId: documented.operationId,
        // The contract has no other methods; a test holds it against the specification.
        method: method.toUpperCase() as ContractOperation['method'],
        path,
        otherPaths: documented['x-paths'] ?? [],
        parameters: documented.parameters ?? [],
        body: schema ? { schema, isRequired: documented.requestBody?.required === true } : null,
        status: success.status,
        answer: success.schema,
        failures: new Map(statuses.flatMap(({ status, schema }) => (status >= 400 && schema ? [[status, schema] as const] : []))),
        scope: documented['x-scope'] ?? null,
      })
    }
  }
  return operations
}

/**
 * The only property of a schema that wraps an object, such as `product` in `{"product": {…}}`; null
 * for other schemas.
 */
export function envelopeOf({ properties = {} }: ContractSchema): string | null {
  const [name, ...others] = Object.keys(properties)
  return name !== undefined && others.length === 0 && properties[name]?.type === 'object' ? name : null
}

/**
 * The document with every `$ref` replaced by its target; equal references become the same object.
 */
function withoutReferences(document: object): unknown {
  const known = new Map<string, unknown>()
  const open = new Set<string>()

  return follow(document)

  function follow(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(follow)
    if (typeof value !== 'object' || value === null) return value
    const reference: unknown = Reflect.get(value, '$ref')
    if (typeof reference === 'string') return resolved(reference)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, follow(each)]))
  }

  function resolved(reference: string): unknown {
    if (known.has(reference)) return known.get(reference)
    if (open.has(reference)) throw new Error(`Expected ${reference} not to contain itself.`)
    open.add(reference)
    const steps = reference.slice('#/'.length).split('/')
    const target = steps.reduce<unknown>(
      (at, step) => (typeof at === 'object' && at ? Reflect.get(at, step) : undefined),
      document,
    )
    if (target === undefined) throw new Error(`Expected ${reference} to lead somewhere.`)
    const value = follow(target)
    open.delete(reference)
    known.set(reference, value)
    return value
  }
}
