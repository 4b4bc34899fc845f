import { type FieldNode, type GraphQLField, getNamedType, isCompositeType, Kind, valueFromASTUntyped } from 'graphql'
import type { CoercedVariables, Count } from './cost-terms.ts'
import type { ListSize } from './cost-weights.ts'

/** Slicing arguments by convention, for schemas without `@listSize`. */
const SLICING_BY_CONVENTION = ['first', 'last', 'limit']

/** Value of a slicing argument. */
export type PageSize = { readonly argument: string; readonly size: (variables: CoercedVariables) => unknown }

/** Slicing argument values of a field. */
export const pageSizesOf = ({ slicing }: ListSize, node: FieldNode, field: GraphQLField<unknown, unknown>): readonly PageSize[] =>
  slicing.map((argument) => ({ argument, size: argumentReader(argument.split('.'), node, field) }))

/** List length: the largest slicing argument, else `assumed`. */
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

/** List size of a field without `@listSize`; undefined without a slicing argument. */
export function listSizeByConvention(field: GraphQLField<unknown, unknown>, isList: boolean): ListSize | undefined {
  const slicing = field.args
    .filter(({ name, type }) => SLICING_BY_CONVENTION.includes(name) && getNamedType(type).name === 'Int')
    .map(({ name }) => name)
  if (slicing.length === 0 || (!isList && !isCompositeType(getNamedType(field.type)))) return undefined
  return { slicing, sized: [] }
}

/** Compiles a function that reads the argument at `path`, with variables and defaults. */
function argumentReader(
  [name = '', ...inside]: readonly string[],
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
): (variables: CoercedVariables) => unknown {
  const fallback = field.args.find((argument) => argument.name === name)?.defaultValue
  const given = node.arguments?.find((argument) => argument.name.value === name)?.value
  if (!given) return () => dig(fallback, inside)
  return (variables) => {
    // An absent variable means the argument's default, but null does not.
    if (given.kind === Kind.VARIABLE && !Object.hasOwn(variables, given.name.value)) return dig(fallback, inside)
    return dig(valueFromASTUntyped(given, variables), inside)
  }
}

const dig = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined), value)
