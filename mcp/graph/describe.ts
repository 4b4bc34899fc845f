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
 * The SDL of a type (`Skill`) or of a field (`Query.skills`) with what a document that uses it must
 * know: types of arguments with all that they are made of, and the type of the result, of a union
 * its members. Null when the schema has nothing with this name.
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
  // The type with this one field: its other fields are not asked about.
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

/** The types that an input is made of, and those of these. */
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

/**
 * The types that are asked for, each once. What everybody knows is printed only when it is what was
 * asked for.
 */
const print = ([field, ...others]: readonly GraphQLNamedType[]): string =>
  [...new Set([field, ...others.filter((type) => !isSpecifiedScalarType(type))])]
    .flatMap((type) => (type ? printType(type) : []))
    .join('\n\n')
