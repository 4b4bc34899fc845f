import { type GraphQLOutputType, type GraphQLSchema, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql'

/**
 * Breadth and depth of the document: enough for fetches from several subgraphs. Plans to choose from
 * multiply with each field that several subgraphs have: with 8 fields of each object, a start took
 * seconds longer where four subgraphs share all.
 */
const MAX_ROOT_FIELDS = 2
const MAX_LEAVES = 1
const MAX_OBJECTS = 1
const MAX_DEPTH = 2

/**
 * Text of a query over the first fields of a schema that need no arguments; null when there are
 * none. What prepares it makes structures that the first document of a client would wait for.
 */
export function warmUpQuery(schema: GraphQLSchema): string | null {
  const root = schema.getQueryType()
  const selections = root ? selectionsOf(root, { leaves: MAX_ROOT_FIELDS, objects: MAX_ROOT_FIELDS, depth: MAX_DEPTH }) : []
  return selections.length > 0 ? `{ ${selections.slice(0, MAX_ROOT_FIELDS).join(' ')} }` : null
}

/** Without interfaces and unions: the planner would look at each of their types. */
function selectionsOf(
  given: GraphQLOutputType,
  { leaves, objects, depth }: { readonly leaves: number; readonly objects: number; readonly depth: number },
): readonly string[] {
  const type = getNamedType(given)
  if (!isObjectType(type)) return []
  const fields = Object.values(type.getFields()).filter(({ args }) => !args.some(isRequiredArgument))
  const inner = { leaves: MAX_LEAVES, objects: MAX_OBJECTS, depth: depth - 1 }
  const ofObjects = depth > 0 ? fields.filter(({ type: of }) => isObjectType(getNamedType(of))) : []
  const ofLeaves = fields.filter(({ type: of }) => isLeafType(getNamedType(of)))
  return [
    ...ofObjects.slice(0, objects).map(({ name, type: of }) => `${name} { __typename ${selectionsOf(of, inner).join(' ')} }`),
    ...ofLeaves.slice(0, leaves).map(({ name }) => name),
  ]
}
