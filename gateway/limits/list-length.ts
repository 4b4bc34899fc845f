import { type FieldNode, type GraphQLField, getNamedType, isCompositeType, Kind, valueFromASTUntyped } from 'graphql'
import type { CoercedVariables, Count } from './cost-terms.ts'
import type { ListSize } from './cost-weights.ts'

/** Slicing arguments by convention, for schemas that do not use `@listSize`. */
const SLICING_BY_CONVENTION = ['first', 'last', 'limit']

/** The value of a slicing argument of one field. */
export type PageSize = { readonly argument: string; readonly size: (variables: CoercedVariables) => unknown }

/** The values of the slicing arguments of a field. */
export const pageSizesOf = ({ slicing }: ListSize, node: FieldNode, field: GraphQLField<unknown, unknown>): readonly PageSize[] =>
  slicing.map((argument) => ({ argument, size: argumentReader(argument.split('.'), node, field) }))

/** The length that the arguments ask for: the largest of them, else `assumed`. */
export const lengthOf =
  (pages: readonly PageSize[], assumed: number): Count =>
  (variables) => {
    let largest = -1
    for (const { size } of pages) {
      const value = size(variables)
      if (typeof value === 'number') largest = Math.max(largest, value)
    }
    return largest < 0 ? assumed : largest
  }

/** The list size of a field without `@listSize`; undefined for one without slicing arguments. */
export function listSizeByConvention(field: GraphQLField<unknown, unknown>, isList: boolean): ListSize | undefined {
  const slicing = field.args
    .filter(({ name, type }) => SLICING_BY_CONVENTION.includes(name) && getNamedType(type).name === 'Int')
    .map(({ name }) => name)
  if (slicing.length === 0 || (!isList && !isCompositeType(getNamedType(field.type)))) return undefined
  return { slicing, sized: [] }
}

/** Reads the argument at `path`, with variables and default values. */
function argumentReader(
  [name = '', ...inside]: readonly string[],
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
): (variables: CoercedVariables) => unknown {
  const fallback = field.args.find((argument) => argument.name === name)?.defaultValue
  const given = node.arguments?.find((argument) => argument.name.value === name)?.value
  if (!given) return () => dig(fallback, inside)
  return (variables) => {
    // An absent variable leaves the argument to its default; null does not.
    if (given.kind === Kind.VARIABLE && !Object.hasOwn(variables, given.name.value)) return dig(fallback, inside)
    return dig(valueFromASTUntyped(given, variables), inside)
  }
}

const dig = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined), value)
