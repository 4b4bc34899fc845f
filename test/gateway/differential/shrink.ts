import { type ASTNode, type DocumentNode, type GraphQLSchema, Kind, parse, print, validate, visit } from 'graphql'
import type { Case } from './small-graph.ts'

/** How many smaller operations are tried before what there is must do. */
const TRIES = 400

/**
 * A smaller operation that still fails, as small as taking away one thing after the other makes it.
 */
export async function shrunk(operation: Case, api: GraphQLSchema, fails: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let best = operation
  let tries = 0
  for (let isSmaller = true; isSmaller && tries < TRIES; ) {
    isSmaller = false
    for (const candidate of smallerThan(best)) {
      if (tries >= TRIES) break
      if (!isValid(candidate, api)) continue
      tries++
      if (!(await fails(candidate))) continue
      best = candidate
      isSmaller = true
      break
    }
  }
  return best
}

function isValid({ query }: Case, api: GraphQLSchema): boolean {
  try {
    return validate(api, parse(query)).length === 0
  } catch {
    // What was taken away left nothing in its place.
    return false
  }
}

/**
 * The same operation without one selection, argument, directive or name, or with the content of a
 * fragment in its place.
 */
function* smallerThan(operation: Case): Generator<Case> {
  const document = parse(operation.query, { noLocation: true })
  const nodes: ASTNode[] = []
  visit(document, {
    enter(node) {
      const isTaken: readonly string[] = [
        Kind.FIELD,
        Kind.INLINE_FRAGMENT,
        Kind.FRAGMENT_SPREAD,
        Kind.ARGUMENT,
        Kind.DIRECTIVE,
        Kind.OBJECT_FIELD,
      ]
      if (isTaken.includes(node.kind)) nodes.push(node)
    },
  })
  for (const node of nodes) {
    yield tidied(operation, visit(document, { enter: (one) => (one === node ? null : undefined) }))
    if (node.kind === Kind.FIELD && node.alias) {
      const { alias: _, ...plain } = node
      yield tidied(operation, visit(document, { enter: (one) => (one === node ? plain : undefined) }))
    }
  }
}

/** Without selections of nothing, fragments that are not spread and variables that are not used. */
function tidied(operation: Case, document: DocumentNode): Case {
  const used = new Set<string>()
  visit(document, {
    FragmentSpread: ({ name }) => void used.add(`...${name.value}`),
    VariableDefinition: () => false,
    Variable: ({ name }) => void used.add(name.value),
  })
  const tidy = visit(document, {
    FragmentDefinition: ({ name }) => (used.has(`...${name.value}`) ? undefined : null),
    VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
  })
  const variables = Object.fromEntries(Object.entries(operation.variables ?? {}).filter(([name]) => used.has(name)))
  return { ...operation, query: print(tidy), variables }
}
