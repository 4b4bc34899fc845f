import { readFileSync } from 'node:fs'
import { type GraphQLError, Kind, parse } from 'graphql'
import { OperatorError } from '../../platform/process/operator-error.ts'

/** A trusted document, which clients request by id. */
export type TrustedDocument = {
  readonly id: string
  readonly text: string
  /** Operation names, at least one; undefined for an anonymous operation. */
  readonly operations: readonly (string | undefined)[]
}

/** Trusted documents, and whether others are allowed. */
export type TrustedDocuments = {
  /** Documents of the operator; validated, planned and compiled at start. */
  readonly documents: readonly TrustedDocument[]
  /** Whether all other documents are refused. */
  readonly isOnly: boolean
}

type Entry = { readonly id: string; readonly text: unknown; readonly name?: unknown; readonly type?: unknown }

/** Format and version in manifests of Apollo's tools. */
const FORMAT = 'apollo-persisted-query-manifest'
const VERSION = 1

/**
 * Trusted documents by PERSISTED_MANIFEST and PERSISTED_ONLY. Throws a `Refusal` for invalid
 * settings.
 */
export function trustedDocumentsFromConfig({
  PERSISTED_MANIFEST: file,
  PERSISTED_ONLY: isOnly,
}: {
  readonly PERSISTED_MANIFEST: string | undefined
  readonly PERSISTED_ONLY: boolean
}): TrustedDocuments {
  if (file !== undefined) return { documents: readManifest(file), isOnly }
  if (isOnly) throw new OperatorError('Expected PERSISTED_MANIFEST to name a file: with PERSISTED_ONLY=1 only its documents run.')
  return { documents: [], isOnly }
}

/**
 * Reads a manifest: Apollo's format, or a map from id to text. Throws a `Refusal` that names the
 * file and the first invalid entry. Does not validate against a schema.
 */
function readManifest(file: string): readonly TrustedDocument[] {
  const documents = new Map<string, TrustedDocument>()
  for (const entry of entriesOf(parsedFile(file), file)) {
    const document = documentOf(entry, file)
    const same = documents.get(document.id)
    if (same && same.text !== document.text) throw wrong(file, `has two documents called "${document.id}"`)
    documents.set(document.id, document)
  }
  return [...documents.values()]
}

function parsedFile(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw wrong(file, `cannot be read: ${messageOf(error)}`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(file, 'is not JSON')
  }
}

function entriesOf(manifest: unknown, file: string): readonly Entry[] {
  if (!isMap(manifest)) throw wrong(file, `is neither a manifest of format "${FORMAT}" nor a map from identifier to text`)
  if (manifest.format === undefined) return Object.entries(manifest).map(([id, text]) => ({ id, text }))

  const { format, version, operations } = manifest
  if (format !== FORMAT) throw wrong(file, `has the format ${JSON.stringify(format)}: expected "${FORMAT}"`)
  if (version !== VERSION) throw wrong(file, `has version ${JSON.stringify(version)}: expected ${VERSION}`)
  if (!Array.isArray(operations)) throw wrong(file, 'has no list "operations"')
  return operations.map((operation: unknown, index) => {
    const { id, name, type, body } = isMap(operation) ? operation : {}
    if (typeof id !== 'string' || id === '') throw wrong(file, `has no "id" in operation ${index + 1}`)
    return { id, text: body, name, type }
  })
}

function documentOf({ id, text, name, type }: Entry, file: string): TrustedDocument {
  if (id === '') throw wrong(file, 'has a document without an identifier')
  if (typeof text !== 'string') throw wrong(file, `has no text for "${id}"`)
  const operations = operationsIn(text, id, file)
  if (operations.length === 0) throw wrong(file, `has no operation in "${id}"`)
  if (
    name !== undefined &&
    !operations.some((operation) => operation.name === name && operation.type === (type ?? operation.type))
  ) {
    throw wrong(file, `says that "${id}" is the ${type ?? 'operation'} ${JSON.stringify(name)}, which its text is not`)
  }
  return { id, text, operations: operations.map((operation) => operation.name) }
}

function operationsIn(
  text: string,
  id: string,
  file: string,
): readonly { readonly name: string | undefined; readonly type: string }[] {
  try {
    return parse(text, { noLocation: true }).definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [{ name: definition.name?.value, type: definition.operation }] : [],
    )
  } catch (error) {
    // `parse` and `validate` throw GraphQLErrors only.
    throw wrong(file, `has a document "${id}" that is not valid: ${(error as GraphQLError).message}`)
  }
}

const wrong = (file: string, problem: string): OperatorError =>
  new OperatorError(`PERSISTED_MANIFEST ${file} ${problem.replace(/\.$/, '')}.`)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
