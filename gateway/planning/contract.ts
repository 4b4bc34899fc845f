import { errorCauses } from '@apollo/federation-internals'
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InputValueDefinitionNode,
  isTypeDefinitionNode,
  Kind,
  parse,
  print,
  visit,
} from 'graphql'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { directiveName, INACCESSIBLE_DIRECTIVE, INACCESSIBLE_LINKS, stringArgument } from './linked-directives.ts'
import { unreachableTypes } from './unreachable-types.ts'

/** A contract: the part of a supergraph that is served, selected by `@tag`. */
export type TagContract = {
  /**
   * Hides unions, and fields of objects and interfaces, that have none of these tags; empty: hides
   * none.
   */
  readonly includeTags: readonly string[]
  /** Hides every element with one of these tags; takes precedence over `includeTags`. */
  readonly excludeTags: readonly string[]
  /** Whether to hide types that are no longer reachable from a root field. */
  readonly hideUnreachableTypes: boolean
}

/** An AST node that can have `@tag`. */
type Tagged = { readonly directives?: readonly ConstDirectiveNode[] | undefined }

/**
 * Marks everything outside the contract as `@inaccessible`. Throws an `OperatorError` for a tag
 * that no element has, because a misspelled tag could expose what it should hide.
 */
export function applyContract(sdl: string, contract: TagContract): string {
  const document = parse(sdl, { noLocation: true })
  const tag = directiveName(document, 'https://specs.apollo.dev/tag/') ?? 'tag'
  const hidden = directiveName(document, 'https://specs.apollo.dev/inaccessible/') ?? 'inaccessible'
  const tagsOf = ({ directives = [] }: Tagged): readonly string[] =>
    directives.flatMap((each) => (each.name.value === tag ? [stringArgument(each, 'name') ?? ''] : []))
  checkTags(contract, document, tagsOf)

  const filtered = hideByTags(document, contract, tagsOf, hidden)
  const unreachable = contract.hideUnreachableTypes ? unreachableTypes(filtered, hidden) : new Set<string>()
  const hide = (node: DefinitionNode): DefinitionNode =>
    isTypeDefinitionNode(node) && unreachable.has(node.name.value) ? markHidden(node, hidden) : node
  return print(withInaccessible({ ...filtered, definitions: filtered.definitions.map(hide) }))
}

/** Error for a contract that leaves no valid schema, such as a field whose type is hidden. */
export function contractError(error: unknown): OperatorError {
  const causes = error instanceof GraphQLError ? errorCauses(error) : undefined
  const messages = causes?.map(({ message }) => message) ?? [error instanceof Error ? error.message : String(error)]
  const [first = '', ...others] = messages.map((message) => message.split('\n', 1)[0]?.replace(/\.$/, '') ?? '')
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return new OperatorError(`The contract leaves no valid schema: ${first}${more}.`, { cause: error })
}

function checkTags(
  { includeTags, excludeTags }: TagContract,
  document: DocumentNode,
  tagsOf: (node: Tagged) => readonly string[],
): void {
  const known = new Set<string>()
  visit(document, {
    enter(node) {
      // Directives in a schema have constant arguments (GraphQL §2.12).
      if ('directives' in node) for (const name of tagsOf(node as Tagged)) known.add(name)
    },
  })
  for (const [option, tags] of Object.entries({ includeTags, excludeTags })) {
    const unknown = tags.find((each) => !known.has(each))
    if (unknown === undefined) continue
    const names = known.size === 0 ? 'it has none' : [...known].sort().slice(0, MAX_LISTED_TAGS).join(', ')
    throw new OperatorError(`Expected "contract.${option}" to be tags of the supergraph (${names}), got "${unknown}".`)
  }
}

/** Upper bound of tags listed in an error. */
const MAX_LISTED_TAGS = 50

/**
 * Hides elements by tags with the rules of Apollo GraphOS: fields inherit the tags of their type.
 */
function hideByTags(
  document: DocumentNode,
  { includeTags, excludeTags }: TagContract,
  tagsOf: (node: Tagged) => readonly string[],
  hidden: string,
): DocumentNode {
  const included = new Set(includeTags)
  const excluded = new Set(excludeTags)
  const isExcluded = (node: Tagged) => tagsOf(node).some((each) => excluded.has(each))
  const isMissing = (tags: readonly string[]) => included.size > 0 && !tags.some((each) => included.has(each))
  const hide = <Node extends Tagged>(node: Node): Node => markHidden(node, hidden)
  const unlessExcluded = <Node extends Tagged>(node: Node): Node => (isExcluded(node) ? hide(node) : node)
  const isHidden = ({ directives = [] }: Tagged) => directives.some(({ name }) => name.value === hidden)

  const filterField = (field: FieldDefinitionNode, tagsOfType: readonly string[]): FieldDefinitionNode => {
    if (isExcluded(field) || isMissing([...tagsOf(field), ...tagsOfType])) return hide(field)
    const { arguments: parameters } = field
    return parameters ? { ...field, arguments: parameters.map((each: InputValueDefinitionNode) => unlessExcluded(each)) } : field
  }

  return {
    ...document,
    definitions: document.definitions.map((definition): DefinitionNode => {
      switch (definition.kind) {
        case Kind.OBJECT_TYPE_DEFINITION:
        case Kind.INTERFACE_TYPE_DEFINITION: {
          const own = tagsOf(definition)
          const fields = (definition.fields ?? []).map((field) => filterField(field, own))
          const filtered = { ...definition, fields }
          // A type whose fields are all hidden is hidden too.
          return isExcluded(definition) || fields.every(isHidden) ? hide(filtered) : filtered
        }
        case Kind.UNION_TYPE_DEFINITION:
          return isExcluded(definition) || isMissing(tagsOf(definition)) ? hide(definition) : definition
        case Kind.ENUM_TYPE_DEFINITION:
          return unlessExcluded({ ...definition, values: (definition.values ?? []).map(unlessExcluded) })
        case Kind.INPUT_OBJECT_TYPE_DEFINITION:
          return unlessExcluded({ ...definition, fields: (definition.fields ?? []).map(unlessExcluded) })
        case Kind.SCALAR_TYPE_DEFINITION:
          return unlessExcluded(definition)
        default:
          return definition
      }
    }),
  }
}

/** Adds `@inaccessible` unless present. */
function markHidden<Node extends Tagged>(node: Node, name: string): Node {
  const { directives = [] } = node
  if (directives.some((each) => each.name.value === name)) return node
  const inaccessible: ConstDirectiveNode = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: name } }
  return { ...node, directives: [...directives, inaccessible] }
}

/** Links and defines `@inaccessible` unless the supergraph does. */
function withInaccessible(document: DocumentNode): DocumentNode {
  if (directiveName(document, 'https://specs.apollo.dev/inaccessible/') !== null) return document
  const definitions = document.definitions.map((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION
      ? { ...definition, directives: [...(definition.directives ?? []), ...INACCESSIBLE_LINKS] }
      : definition,
  )
  return { ...document, definitions: [...definitions, INACCESSIBLE_DIRECTIVE] }
}
