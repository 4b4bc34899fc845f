import { createServer, type Server } from 'node:http'
import { type FieldNode, Kind, parse, type SelectionSetNode } from 'graphql'

/** Answers every query with a value for each selected field: text, an object, or one entity per representation. */
export function anySubgraph(): Server {
  return createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    // As the gateway sends it.
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString()) as {
      query: string
      variables?: { representations?: readonly { __typename: string }[] }
    }
    const [operation] = parse(query, { noLocation: true }).definitions
    const data =
      operation?.kind === Kind.OPERATION_DEFINITION ? answer(operation.selectionSet, '', variables?.representations) : null
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
}

function answer(set: SelectionSetNode, typename: string, entities?: readonly { __typename: string }[]): object {
  const found: Record<string, unknown> = {}
  for (const selection of set.selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT) Object.assign(found, answer(selection.selectionSet, typename))
    if (selection.kind === Kind.FIELD)
      found[selection.alias?.value ?? selection.name.value] = valueFor(selection, typename, entities)
  }
  return found
}

function valueFor(
  { name: { value: name }, selectionSet }: FieldNode,
  typename: string,
  entities?: readonly { __typename: string }[],
): unknown {
  if (name === '_entities') return entities?.map(({ __typename }) => selectionSet && answer(selectionSet, __typename))
  if (name === '__typename') return typename
  if (selectionSet) return answer(selectionSet, name.replace(/^thing/, 'Thing'))
  return name.startsWith('rating') ? 5 : name
}
