import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql'
import { ANY_COORDINATE } from '../../gateway/usage/usage-recorder.ts'
import type { UsedOperation } from './usage-report.ts'

/**
 * Schema coordinates that no operation uses, in schema order. Empty when an operation could not be
 * described, because it may use any.
 */
export function unusedCoordinates(schema: GraphQLSchema, operations: readonly UsedOperation[]): readonly string[] {
  const used = usedCoordinates(schema, operations)
  if (used.has(ANY_COORDINATE)) return []
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => {
      const isWhole = used.has(`${type.name}.*`) || (isEnumType(type) && used.has(type.name))
      return isWhole ? [] : coordinatesOf(type).filter((coordinate) => !used.has(coordinate))
    })
}

/**
 * Coordinates used by operations; using an interface's field uses that field of every
 * implementation.
 */
function usedCoordinates(schema: GraphQLSchema, operations: readonly UsedOperation[]): ReadonlySet<string> {
  const used = new Set(operations.flatMap(({ coordinates }) => coordinates))
  for (const coordinate of [...used]) {
    const [name = '', rest] = coordinate.split('.', 2)
    const type = schema.getType(name)
    if (rest === undefined || !isInterfaceType(type)) continue
    const { objects, interfaces } = schema.getImplementations(type)
    for (const each of [...objects, ...interfaces]) used.add(`${each.name}.${rest}`)
  }
  return used
}

function coordinatesOf(type: GraphQLNamedType): readonly string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => `${type.name}.${name}`)
  if (isInputObjectType(type)) return Object.keys(type.getFields()).map((field) => `${type.name}.${field}`)
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap(({ name, args }) => [
    `${type.name}.${name}`,
    ...args.map((arg) => `${type.name}.${name}(${arg.name}:)`),
  ])
}
