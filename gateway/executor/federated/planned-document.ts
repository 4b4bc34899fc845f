import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, visit } from 'graphql'

/** An operation in words that a plan can use, and the way back to the client's. */
export type PlannedDocument = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** The plan's variables by the client's. */
  readonly variablesOf: (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** The client's key by the plan's. */
  readonly keyOf: (key: string) => string
}

/** The planner's name for the entities that a fetch asks about; a client's variable of that name would be taken for it. */
const REPRESENTATIONS = 'representations'

/** What every object of JavaScript has, and what every fetch asks for: clients may call a field so, but answers must not be read by such keys. */
const RESERVED_KEYS = new Set([...Object.getOwnPropertyNames(Object.prototype), '__typename'])

/**
 * The same operation, where a variable or a key has a name that means something else here, with another name for it. `needed` are the names of fields that plans
 * ask for by themselves: the planner takes whatever a client has under such a name for that field.
 */
export function plannedDocument(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  needed: ReadonlySet<string>,
): PlannedDocument {
  const variables = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value))
  const keys = new Set<string>()
  let isRenamed = variables.has(REPRESENTATIONS)
  visit(document, {
    Field(node) {
      const key = keyIn(node)
      keys.add(key)
      if (isReserved(key, node, needed)) isRenamed = true
    },
  })
  if (!isRenamed) return { document, operation, variablesOf: (given) => given, keyOf: (key) => key }

  const freeVariable = free(REPRESENTATIONS, variables)
  const clientKeys = new Map<string, string>()
  const freeKeys = new Map<string, string>()
  const freeKeyOf = (key: string): string => {
    const known = freeKeys.get(key)
    if (known) return known
    const own = free(key.replace(/^_+/, ''), keys)
    keys.add(own)
    freeKeys.set(key, own)
    clientKeys.set(own, key)
    return own
  }

  const renamed = visit(document, {
    Variable: (node) =>
      node.name.value === REPRESENTATIONS ? { ...node, name: { ...node.name, value: freeVariable } } : undefined,
    Field(node) {
      const key = keyIn(node)
      if (!isReserved(key, node, needed)) return undefined
      return { ...node, alias: { kind: Kind.NAME, value: freeKeyOf(key) } }
    },
  })
  const definition = renamed.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  return {
    document: renamed,
    operation: definition?.kind === Kind.OPERATION_DEFINITION ? definition : operation,
    variablesOf: ({ [REPRESENTATIONS]: value, ...others }) =>
      value === undefined ? others : { ...others, [freeVariable]: value },
    keyOf: (key) => clientKeys.get(key) ?? key,
  }
}

const keyIn = ({ alias, name }: FieldNode): string => (alias ?? name).value

/** `__typename` under its own name is what it says, and so is a field that plans need, unless it is asked with arguments that the plan does not know. */
function isReserved(key: string, { name, arguments: given = [] }: FieldNode, needed: ReadonlySet<string>): boolean {
  const isItself = key === name.value && given.length === 0
  return RESERVED_KEYS.has(key) ? key !== '__typename' || !isItself : needed.has(key) && !isItself
}

function free(name: string, taken: ReadonlySet<string>): string {
  let own = `${name}OfClient`
  while (taken.has(own)) own += '_'
  return own
}
