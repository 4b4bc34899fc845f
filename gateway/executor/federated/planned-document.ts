import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, visit } from 'graphql'

/**
 * An operation with names that are safe for planning, and the mapping back to the client's names.
 */
export type PlannedDocument = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Converts client variables to the plan's. */
  readonly variablesOf: (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** Converts a response key of the plan to the client's. */
  readonly keyOf: (key: string) => string
}

/**
 * The planner's variable for representations, and ours in joined documents; client variables of
 * such names are renamed.
 */
const REPRESENTATIONS = /^representations(?:_\d+)?$/

/** The planner's variables for contextual arguments; client variables of such names are renamed. */
const CONTEXTUAL = /^contextualArgument_/

/** Whether a variable of a fetch has representations of entities. */
export const isRepresentations = (name: string): boolean => REPRESENTATIONS.test(name)

const isReservedVariable = (name: string): boolean => isRepresentations(name) || CONTEXTUAL.test(name)

/**
 * Response keys that clients may choose but the plan must not use: names that every JavaScript
 * object inherits, and `__typename`, which every fetch selects.
 */
const RESERVED_KEYS = new Set([...Object.getOwnPropertyNames(Object.prototype), '__typename'])

/**
 * Renames variables and response keys that collide with the planner's. `needed`: response keys of
 * fields that plans select themselves (keys, `@requires`); the planner would mistake a client's
 * alias of that name for the field.
 */
export function plannedDocument(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  needed: ReadonlyMap<string, string>,
): PlannedDocument {
  const variables = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value))
  const keys = new Set<string>()
  let isRenamed = [...variables].some(isReservedVariable)
  visit(document, {
    Field(node) {
      const key = keyIn(node)
      keys.add(key)
      if (isReserved(key, node, needed)) isRenamed = true
    },
  })
  if (!isRenamed)
    return { document, operation, variablesOf: (clientVariables) => clientVariables, keyOf: (key) => needed.get(key) ?? key }

  const freeVariables = new Map<string, string>()
  for (const name of variables) if (isReservedVariable(name)) freeVariables.set(name, unusedName(`of_${name}`, variables))
  const clientKeys = new Map<string, string>()
  const freeKeys = new Map<string, string>()
  const freeKeyOf = (key: string): string => {
    const existing = freeKeys.get(key)
    if (existing) return existing
    const own = unusedName(key.replace(/^_+/, ''), keys)
    keys.add(own)
    freeKeys.set(key, own)
    clientKeys.set(own, key)
    return own
  }

  const renamed = visit(document, {
    Variable(node) {
      const free = freeVariables.get(node.name.value)
      return free === undefined ? undefined : { ...node, name: { ...node.name, value: free } }
    },
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
    variablesOf: (given) =>
      freeVariables.size === 0
        ? given
        : Object.fromEntries(Object.entries(given).map(([name, value]) => [freeVariables.get(name) ?? name, value])),
    keyOf: (key) => clientKeys.get(key) ?? needed.get(key) ?? key,
  }
}

const keyIn = ({ alias, name }: FieldNode): string => (alias ?? name).value

/**
 * Whether a response key must be renamed. `__typename` and needed fields without arguments under
 * their own name are what the plan selects too.
 */
function isReserved(key: string, { name, arguments: nodes = [] }: FieldNode, needed: ReadonlyMap<string, string>): boolean {
  const isItself = key === name.value && nodes.length === 0
  return RESERVED_KEYS.has(key) ? key !== '__typename' || !isItself : needed.has(key) && !isItself
}

function unusedName(name: string, taken: ReadonlySet<string>): string {
  let own = `${name}OfClient`
  while (taken.has(own)) own += '_'
  return own
}
