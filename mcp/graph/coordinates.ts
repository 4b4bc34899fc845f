import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'

/** A type or field of the schema by its coordinate. */
export type Coordinate = {
  /** Schema coordinate: `Skill` or `Query.skills`. */
  readonly name: string
  readonly kind: 'query' | 'mutation' | 'subscription' | 'type' | 'field'
  /** First line of its definition: `skills(first: Int = 20, …): SkillConnection!`. */
  readonly signature: string
  /** Description in the schema; empty when there is none. */
  readonly description: string
}

/** All types and fields of the schema in the order of their names, without introspection. */
export function coordinatesOf(schema: GraphQLSchema): readonly Coordinate[] {
  const roots = new Map([
    [schema.getQueryType(), 'query'] as const,
    [schema.getMutationType(), 'mutation'] as const,
    [schema.getSubscriptionType(), 'subscription'] as const,
  ])
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => {
      const fields = fieldsOf(type).map((field) => ({
        name: `${type.name}.${field.name}`,
        kind: (isObjectType(type) && roots.get(type)) || ('field' as const),
        signature: signatureOf(field),
        description: field.description ?? '',
      }))
      if (isObjectType(type) && roots.has(type)) return fields
      return [{ name: type.name, kind: 'type' as const, signature: headOf(type), description: type.description ?? '' }, ...fields]
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

type AnyField = Pick<GraphQLField<unknown, unknown>, 'name' | 'description' | 'type'> & {
  readonly args?: GraphQLField<unknown, unknown>['args']
}

/** Fields of an object, interface or input type; empty for other types. */
function fieldsOf(type: GraphQLNamedType): readonly AnyField[] {
  if (isObjectType(type) || isInterfaceType(type)) return Object.values(type.getFields())
  // An input field has the used properties of a field, except arguments.
  return isInputObjectType(type) ? (Object.values(type.getFields()) as unknown as readonly AnyField[]) : []
}

function signatureOf({ name, args = [], type }: AnyField): string {
  const given = args.map((argument) => `${argument.name}: ${String(argument.type)}`).join(', ')
  return `${name}${given && `(${given})`}: ${String(type)}`
}

const headOf = (type: GraphQLNamedType): string => `${KEYWORDS[type.astNode?.kind ?? ''] ?? 'type'} ${type.name}`

const KEYWORDS: Readonly<Record<string, string>> = {
  ScalarTypeDefinition: 'scalar',
  InterfaceTypeDefinition: 'interface',
  UnionTypeDefinition: 'union',
  EnumTypeDefinition: 'enum',
  InputObjectTypeDefinition: 'input',
}
