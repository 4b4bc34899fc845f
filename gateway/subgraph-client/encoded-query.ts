import type { DocumentNode } from 'graphql'
import type { SubgraphRequest } from './link.ts'

/** Parts of a request that depend on the query text only. */
export type EncodedQuery = {
  /** JSON body up to the variables. */
  readonly bodyStart: string
  /** Text without operation name, because the planner numbers fetches of a named operation. */
  readonly anonymousText: string
  /** The planner's texts have one operation, at the start. */
  readonly isQuery: boolean
}

/**
 * Encodes the texts of one link's requests, each document once. A text lives as long as the document,
 * which plans hold: a cache per link would outlive them, and would be as large again for each subgraph.
 */
export function createQueryEncoder(): (request: Pick<SubgraphRequest, 'query' | 'operationName' | 'document'>) => EncodedQuery {
  const texts = new WeakMap<DocumentNode, EncodedQuery & Pick<SubgraphRequest, 'query' | 'operationName'>>()
  return ({ query, operationName, document }) => {
    const known = document && texts.get(document)
    // Hooks may replace the text of a request, and leave its document.
    if (known && known.query === query && known.operationName === operationName) return known
    const made = { query, operationName, ...encodeText(query, operationName) }
    if (document) texts.set(document, made)
    return made
  }
}

function encodeText(query: string, operationName: SubgraphRequest['operationName']): EncodedQuery {
  const name = operationName === undefined ? '' : `"operationName":${JSON.stringify(operationName)},`
  return {
    bodyStart: `{"query":${JSON.stringify(query)},${name}"variables":`,
    anonymousText: query.replace(/^query \w+/, 'query'),
    isQuery: /^(?:query\b|\{)/.test(query),
  }
}
