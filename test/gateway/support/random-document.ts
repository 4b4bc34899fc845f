import fc from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'

/** A valid operation with its variables. */
export type RandomDocument = { readonly text: string; readonly variables: Readonly<Record<string, boolean>> }

const MAX_DEPTH = 9
/** Fields of one selection set. */
const MAX_FIELDS = 4

/**
 * Valid documents of a schema: aliases, arguments, directives with variables, inline and named
 * fragments. Depth is at most 10; `hasLists` says whether fields with lists are selected.
 */
export function randomDocuments(
  schema: GraphQLSchema,
  { hasLists }: { readonly hasLists: boolean },
): fc.Arbitrary<RandomDocument> {
  return fc.gen().map((gen) => {
    const below = (count: number) => gen(fc.nat, { max: count - 1 })
    const fragments: string[] = []
    const variables: Record<string, boolean> = {}
    let names = 0

    function selectionOf(type: GraphQLCompositeType, depth: number): string {
      const parts = isAbstractType(type) ? ['__typename', ...conditionsOf(type, depth)] : []
      if (isObjectType(type)) {
        const fields = Object.values(type.getFields()).filter((field) => isUsable(field, depth))
        if (fields.length === 0) parts.push('__typename')
        else for (let at = below(MAX_FIELDS); at >= 0; at--) parts.push(fieldOf(fields[below(fields.length)] as AnyField, depth))
      }
      const text = parts.join(' ')
      const kind = below(8)
      if (kind === 0) return `... on ${type.name}${directive()} { ${text} }`
      if (kind > 1) return text
      const name = `F${names++}`
      fragments.push(`fragment ${name} on ${type.name} { ${text} }`)
      return `...${name}${directive()}`
    }

    /** Selections of some possible types. */
    const conditionsOf = (type: Parameters<typeof schema.getPossibleTypes>[0], depth: number): string[] =>
      schema
        .getPossibleTypes(type)
        .filter(() => below(2) === 0)
        .map((each) => `... on ${each.name} { ${selectionOf(each, depth)} }`)

    function fieldOf(field: AnyField, depth: number): string {
      const named = getNamedType(field.type)
      const given = field.args.filter((arg) => isRequiredArgument(arg) || (isPlain(arg) && below(4) === 0))
      const args = given.length === 0 ? '' : `(${given.map((arg) => `${arg.name}: ${literalOf(arg.type)}`).join(', ')})`
      const selection = isCompositeType(named) ? ` { ${selectionOf(named, depth + 1)} }` : ''
      // An alias each, so that no two fields conflict.
      return `a${names++}: ${field.name}${args}${directive()}${selection}`
    }

    function directive(): string {
      if (below(5) > 0) return ''
      const name = `v${names++}`
      variables[name] = gen(fc.boolean)
      return ` @${gen(fc.boolean) ? 'skip' : 'include'}(if: $${name})`
    }

    const isUsable = (field: AnyField, depth: number): boolean => {
      const named = getNamedType(field.type)
      if (!hasLists && isListType(getNullableType(field.type))) return false
      return !isCompositeType(named) || depth < MAX_DEPTH
    }

    const root = below(4) === 0 ? schema.getMutationType() : schema.getQueryType()
    if (!root) throw new Error('Expected root types.')
    const selection = selectionOf(root, 0)
    const declared = Object.keys(variables).map((name) => `$${name}: Boolean!`)
    const head = `${root === schema.getMutationType() ? 'mutation' : 'query'} Q${declared.length === 0 ? '' : `(${declared.join(', ')})`}`
    return { text: [`${head} { ${selection} }`, ...fragments].join(' '), variables }
  })
}

type AnyField = GraphQLField<unknown, unknown>

/** Page sizes would make lists of what has none. */
const isPlain = ({ name, type }: GraphQLArgument) =>
  !['first', 'last', 'limit'].includes(name) && !isListType(getNullableType(type))

/** A literal that is valid for the type. */
function literalOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalOf(type.ofType)
  if (isListType(type)) return `[${literalOf(type.ofType)}]`
  if (isEnumType(type)) return type.getValues()[0]?.name ?? 'null'
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const given = type.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField)
    return `{${given.map((field) => `${field.name}: ${literalOf(field.type)}`).join(', ')}}`
  }
  return type.name === 'Boolean' ? 'true' : type.name === 'Int' || type.name === 'Float' ? '1' : '"1"'
}
