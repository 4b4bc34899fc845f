import { createHash } from 'node:crypto'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { Admission } from '../gateway.ts'
import type { Asked } from '../transports/request-params.ts'
import { refusal } from './errors.ts'
import type { SharedDocuments } from './redis-documents.ts'
import type { Persisted, TrustedDocument } from './trusted-documents.ts'

/** Texts that clients registered: at most 10 MB, for a character may take two bytes. */
const KEPT = { maxEntries: 10_000, maxCharacters: 5_000_000 }

const ONLY = refused(
  'PERSISTED_QUERY_ONLY',
  'Expected the identifier of a document that this server was started with, in "documentId" or "extensions.persistedQuery.sha256Hash": it takes no others.',
)
/** Apollo's clients know this message, and send the text then. */
const NOT_FOUND = refused('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
const NO_DOCUMENT = refused('PERSISTED_DOCUMENT_NOT_FOUND', 'Expected "documentId" to name a document that this server knows.')
const MISMATCH = refused(
  'PERSISTED_QUERY_HASH_MISMATCH',
  'Expected "extensions.persistedQuery.sha256Hash" to be the SHA-256 of "query" in UTF-8, as hexadecimal digits in lower case.',
)

/**
 * Admits what clients ask by text, by the hash of a text that was sent once before (automatic persisted queries), and by the identifier of a trusted
 * document. Throws an `OperatorError` that names the first trusted document that `judge` refuses. A text that is refused is not kept. What is kept is `shared` with others.
 */
export function persistedDocuments(
  { trusted, isOnly }: Persisted,
  admit: (text: string, operationName: string | undefined) => Admission,
  judge: (text: string, operationName: string | undefined) => Admission,
  shared: SharedDocuments | null = null,
): { readonly admit: (asked: Asked) => Admission; readonly close: () => void } {
  const ready = new Map<string, Ready>()
  for (const document of trusted) {
    const one = readied(document, judge)
    ready.set(bare(document.id), one)
    // Clients that reckon the identifier by themselves take the hash, whatever the manifest calls the document.
    const hash = sha256(document.text)
    if (!ready.has(hash)) ready.set(hash, one)
  }
  const kept = boundedCache<string>({ ...KEPT, charactersOf: (hash, text) => hash.length + text.length })

  const unfollow = shared?.follow((text) => kept.set(sha256(text), text))
  return { admit: admitAsked, close: () => unfollow?.() }

  function admitAsked({ text, hash, documentId, operationName }: Asked): Admission {
    const id = hash ?? (documentId === null ? null : bare(documentId))
    if (id === null) return isOnly ? ONLY : admit(text, operationName)

    const known = ready.get(id)
    if (known) return text === '' || text === known.text ? known.admission(operationName) : MISMATCH
    if (isOnly) return ONLY

    if (text === '') {
      const registered = kept.get(id)
      if (registered !== undefined) return admit(registered, operationName)
      return hash === null ? NO_DOCUMENT : NOT_FOUND
    }
    if (sha256(text) !== id) return MISMATCH
    const admission = admit(text, operationName)
    if (admission.kind === 'refused') return admission
    if (kept.get(id) === undefined) shared?.tell(text)
    kept.set(id, text)
    return admission
  }
}

/** A trusted document with the admissions of its operations. */
type Ready = { readonly text: string; readonly admission: (operationName: string | undefined) => Admission }

function readied({ id, text, operations }: TrustedDocument, judge: (text: string, name: string | undefined) => Admission): Ready {
  const admissions = new Map<string | undefined, Admission>()
  for (const name of operations) {
    const admission = judge(text, name)
    if (admission.kind === 'refused') {
      const said = admission.errors.map(({ message }) => message).join(' ')
      throw new OperatorError(`PERSISTED_MANIFEST has a document "${id}" that cannot be run on this graph: ${said}`)
    }
    admissions.set(name, admission)
  }
  const [only, ...others] = admissions.values()
  if (only && others.length === 0) admissions.set(undefined, only)
  return { text, admission: (name) => admissions.get(name) ?? unknownOperation(name) }
}

const unknownOperation = (name: string | undefined): Admission =>
  refused(
    'OPERATION_RESOLUTION_FAILURE',
    name === undefined
      ? 'Expected operationName to say which operation to run: the document has several.'
      : `Expected operationName to name an operation, got "${name}".`,
  )

function refused(...[code, message]: Parameters<typeof refusal>): Admission {
  return { kind: 'refused', errors: [refusal(code, message)] }
}

/** An identifier without the prefix by which the appendix of GraphQL over HTTP tells hashes from others. */
const bare = (id: string): string => (id.startsWith('sha256:') ? id.slice('sha256:'.length) : id)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
