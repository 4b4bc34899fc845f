import {
  GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  printType,
} from 'graphql'

/**
 * SDL of a type (`Skill`) or field (`Query.skills`) with the types needed to use it: input types
 * with everything they contain, the result type, and the members of a union. Null for an unknown
 * name.
 */
export function describe(schema: GraphQLSchema, name: string): string | null {
  const [typeName = '', fieldName, ...rest] = name.split('.')
  const type = typeName.startsWith('__') ? undefined : schema.getType(typeName)
  if (!type || rest.length > 0) return null
  if (fieldName === undefined) return print([type, ...(isUnionType(type) ? type.getTypes() : []), ...inputsOf(type)])

  if (isInputObjectType(type) && Object.hasOwn(type.getFields(), fieldName)) return print([type, ...inputsOf(type)])
  if (!isObjectType(type) && !isInterfaceType(type)) return null
  const field = Object.hasOwn(type.getFields(), fieldName) ? type.getFields()[fieldName] : undefined
  if (!field) return null
  const result = getNamedType(field.type)
  // Prints the type with this one field only, to keep the text short.
  const { fields } = type.toConfig()
  const config = fields[fieldName]
  if (!config) return null
  const only = { name: typeName, fields: { [fieldName]: config } }
  const alone = isInterfaceType(type) ? new GraphQLInterfaceType(only) : new GraphQLObjectType(only)
  return print([
    alone,
    ...field.args.flatMap(({ type: argumentType }) => [getNamedType(argumentType), ...inputsOf(getNamedType(argumentType))]),
    result,
    ...(isUnionType(result) ? result.getTypes() : []),
  ])
}

/** Types of the fields of an input type, recursively. */
function inputsOf(type: GraphQLNamedType, found: Set<GraphQLNamedType> = new Set()): readonly GraphQLNamedType[] {
  if (!isInputObjectType(type)) return []
  for (const field of Object.values(type.getFields())) {
    const inner = getNamedType(field.type)
    if (found.has(inner)) continue
    found.add(inner)
    inputsOf(inner, found)
  }
  return [...found]
}

/** Prints each type once. Built-in scalars are printed only when requested by name. */
const print = ([field, ...others]: readonly GraphQLNamedType[]): string =>
  [...new Set([field, ...others.filter((type) => !isSpecifiedScalarType(type))])]
    .flatMap((type) => (type ? printType(type) : []))
    .join('\n\n')
