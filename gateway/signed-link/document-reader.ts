import { type DocumentNode, type GraphQLFormattedError, parse, validate } from 'graphql'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { refusal } from '../operations/errors.ts'

/** Cache of parsed texts. They are the planner's, which repeat; client texts never get here. */
const DOCUMENTS = { maxEntries: 500, maxCharacters: 500_000 }

/** Parses a text: a valid document, or errors. */
type ReadDocument = (text: string) => DocumentNode | readonly GraphQLFormattedError[]

/** Parses and validates texts: during a rollout, a gateway may use a newer schema. */
export function createDocumentReader(subgraph: Subgraph): ReadDocument {
  const documents = boundedCache<DocumentNode | readonly GraphQLFormattedError[]>(DOCUMENTS)
  return documentOf

  function documentOf(text: string): DocumentNode | readonly GraphQLFormattedError[] {
    const found = documents.get(text)
    if (found) return found
    const made = checked(text)
    documents.set(text, made)
    return made
  }

  function checked(text: string): DocumentNode | readonly GraphQLFormattedError[] {
    try {
      const document = parse(text, { noLocation: true })
      const errors = validate(subgraph.schema, document)
      return errors.length === 0
        ? document
        : errors.map(({ message }) => refusal('GRAPHQL_VALIDATION_FAILED', `The ${subgraph.name} service says: ${message}`))
    } catch (error) {
      return [refusal('GRAPHQL_PARSE_FAILED', error instanceof Error ? error.message : String(error))]
    }
  }
}
