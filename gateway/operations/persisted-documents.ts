import { createHash } from 'node:crypto'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { GraphQLParams } from '../transports/request-params.ts'
import { refusal } from './errors.ts'
import type { PreparedOperation } from './prepared-operation.ts'
import type { SharedDocuments } from './redis-documents.ts'
import type { TrustedDocument, TrustedDocuments } from './trusted-documents.ts'

/** Cache of automatic persisted queries: at most 10 MB, at two bytes per character. */
const REGISTERED_DOCUMENTS_BOUND = { maxEntries: 10_000, maxCharacters: 5_000_000 }

const ONLY = rejected(
  'PERSISTED_QUERY_ONLY',
  'Expected the identifier of a document that this server was started with, in "documentId" or "extensions.persistedQuery.sha256Hash": it takes no others.',
)
/** Apollo Client sends the text when it gets exactly this message. */
const NOT_FOUND = rejected('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
const NO_DOCUMENT = rejected('PERSISTED_DOCUMENT_NOT_FOUND', 'Expected "documentId" to name a document that this server knows.')
const MISMATCH = rejected(
  'PERSISTED_QUERY_HASH_MISMATCH',
  'Expected "extensions.persistedQuery.sha256Hash" to be the SHA-256 of "query" in UTF-8, as hexadecimal digits in lower case.',
)

type Prepare = (text: string, operationName: string | undefined) => PreparedOperation

/**
 * Prepares operations by text, by hash of a registered text (automatic persisted queries), or by id
 * of a trusted document. Rejected texts are not registered; registered ones are shared through
 * `shared`. Throws a `Refusal` that names the first invalid trusted document.
 */
export function createPersistedDocuments(
  { documents, isOnly }: TrustedDocuments,
  prepareText: Prepare,
  prepareTrusted: Prepare,
  shared: SharedDocuments | null = null,
): { readonly prepare: (params: GraphQLParams) => PreparedOperation; readonly close: () => void } {
  const trusted = new Map<string, PreparedDocument>()
  for (const document of documents) {
    const prepared = prepareDocument(document, prepareTrusted)
    trusted.set(withoutPrefix(document.id), prepared)
    // Also found by hash, because clients that compute the id send the hash, whatever the
    // manifest's id is.
    const hash = sha256(document.text)
    if (!trusted.has(hash)) trusted.set(hash, prepared)
  }
  const registered = boundedCache<string>({
    ...REGISTERED_DOCUMENTS_BOUND,
    charactersOf: (hash, text) => hash.length + text.length,
  })

  const unsubscribe = shared?.subscribe((text) => registered.set(sha256(text), text))
  return { prepare, close: () => unsubscribe?.() }

  function prepare({ text, hash, documentId, operationName }: GraphQLParams): PreparedOperation {
    const id = hash ?? (documentId === null ? null : withoutPrefix(documentId))
    if (id === null) return isOnly ? ONLY : prepareText(text, operationName)

    const document = trusted.get(id)
    if (document) return text === '' || text === document.text ? document.operation(operationName) : MISMATCH
    if (isOnly) return ONLY

    if (text === '') {
      const registeredText = registered.get(id)
      if (registeredText !== undefined) return prepareText(registeredText, operationName)
      return hash === null ? NO_DOCUMENT : NOT_FOUND
    }
    if (sha256(text) !== id) return MISMATCH
    const prepared = prepareText(text, operationName)
    if (prepared.kind === 'rejected') return prepared
    if (registered.get(id) === undefined) shared?.publish(text)
    registered.set(id, text)
    return prepared
  }
}

/** A trusted document with its operations. */
type PreparedDocument = {
  readonly text: string
  readonly operation: (operationName: string | undefined) => PreparedOperation
}

function prepareDocument({ id, text, operations }: TrustedDocument, prepare: Prepare): PreparedDocument {
  const byName = new Map<string | undefined, PreparedOperation>()
  for (const name of operations) {
    const prepared = prepare(text, name)
    if (prepared.kind === 'rejected') {
      const reason = prepared.errors.map(({ message }) => message).join(' ')
      throw new OperatorError(`PERSISTED_MANIFEST has a document "${id}" that cannot be run on this graph: ${reason}`)
    }
    byName.set(name, prepared)
  }
  const [only, ...others] = byName.values()
  if (only && others.length === 0) byName.set(undefined, only)
  return { text, operation: (name) => byName.get(name) ?? unknownOperation(name) }
}

const unknownOperation = (name: string | undefined): PreparedOperation =>
  rejected(
    'OPERATION_RESOLUTION_FAILURE',
    name === undefined
      ? 'Expected operationName to say which operation to run: the document has several.'
      : `Expected operationName to name an operation, got "${name}".`,
  )

function rejected(...[code, message]: Parameters<typeof refusal>): PreparedOperation {
  return { kind: 'rejected', errors: [refusal(code, message)] }
}

/** Removes the prefix `sha256:` of hashes (GraphQL over HTTP, appendix on persisted documents). */
const withoutPrefix = (id: string): string => (id.startsWith('sha256:') ? id.slice('sha256:'.length) : id)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
