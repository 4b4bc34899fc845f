import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { z } from 'zod'
import { ownValue } from '../platform/collections/lookup-table.ts'
import type { Spelling } from './arguments.ts'
import { operationOf } from './names.ts'
import { scalarAnswer } from './scalars.ts'

/** Path of response keys from the root of an operation to the object that a tool returns. */
export type AnswerPath = readonly [string, ...string[]]

/**
 * Result schema of a tool: the object at `path` with the operation's selection and the descriptions
 * of the GraphQL schema. Parsing converts enum values to wire names, unwraps edges that select only
 * `node`, and drops unselected keys.
 */
export function answerSchema(
  document: DocumentNode,
  schema: GraphQLSchema,
  spelling: Spelling,
  path: AnswerPath,
): z.ZodType<Readonly<Record<string, unknown>>> {
  const { node, kind } = operationOf(document)
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  )
  const reader: Reader = { schema, fragments, spelling }

  let type: GraphQLOutputType | undefined = schema.getRootType(kind) ?? undefined
  let selectionSet: SelectionSetNode | undefined = node.selectionSet
  for (const key of path) {
    const found: Selected | undefined = possibleTypes(getNamedType(type), reader)
      .map((each) => selectedOn(each, selectionSet, reader, getNamedType(type)).get(key))
      .find((each) => each !== undefined)
    if (!found) throw new Error(`Expected the operation ${node.name?.value} to select "${key}".`)
    type = found.type
    selectionSet = found.node.selectionSet
  }
  const answer = selectionSet && rootSchema(type, selectionSet, reader)
  if (!answer) throw new Error(`Expected ${node.name?.value} to select an object at ${path.join('.')}.`)
  // `rootSchema` returns object types only, whatever their static type.
  return answer as z.ZodType<Readonly<Record<string, unknown>>>
}

/** The object at `path`; null when there is none. */
export function answerAt(data: unknown, path: AnswerPath): Readonly<Record<string, unknown>> | null {
  const found = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : null), data)
  return isObject(found) ? found : null
}

/**
 * Message of an expected failure: of the innermost object on `path` that has one; null when none
 * has.
 */
export function expectedFailureIn(data: unknown, path: AnswerPath): string | null {
  let [value, message]: [unknown, string | null] = [data, null]
  for (const key of path) {
    value = isObject(value) ? value[key] : null
    if (isObject(value)) message = messageIn(value) ?? message
  }
  return message
}

function messageIn({ message, faults }: Readonly<Record<string, unknown>>): string | null {
  // By the schema `faults` is a list of `Fault`.
  if (Array.isArray(faults)) return textOfFaults(faults as readonly Fault[])
  return typeof message === 'string' ? message : null
}

type Fault = { readonly field: string; readonly message: string }

/**
 * Messages of input faults without their GraphQL field names, because arguments may be named
 * differently.
 */
export const textOfFaults = (faults: readonly Fault[]): string =>
  faults.map(({ field, message }) => message.replace(`${field}: `, () => '')).join(' ')

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Reader = {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly spelling: Spelling
}

/** A selected field with its type. */
type Selected = { readonly node: FieldNode; readonly type: GraphQLOutputType; readonly description: string | null | undefined }

function valueSchema({ type, node }: Selected, reader: Reader): z.ZodType {
  if (!isNonNullType(type)) return presentSchema(type, node, reader).nullable()
  return presentSchema(type.ofType, node, reader)
}

function presentSchema(type: GraphQLOutputType, node: FieldNode, reader: Reader): z.ZodType {
  if (isListType(type)) return z.array(valueSchema({ type: type.ofType, node, description: null }, reader))
  if (isEnumType(type)) return enumSchema(type, reader)
  if (isLeafType(type)) return scalarAnswer(type.name)
  return objectSchema(type, node.selectionSet, reader)
}

function enumSchema(type: GraphQLEnumType, { spelling }: Reader): z.ZodType {
  const names = type.getValues().map(({ name }) => name)
  return z.preprocess((name) => spelling(type.name, String(name)), z.enum(names.map((name) => spelling(type.name, name))))
}

function objectSchema(
  type: GraphQLOutputType | undefined,
  selectionSet: SelectionSetNode | undefined,
  reader: Reader,
): z.ZodType {
  const shapes = possibleTypes(getNamedType(type), reader).map((each) => ({
    type: each,
    selected: selectedOn(each, selectionSet, reader, getNamedType(type)),
  }))
  const keysOf = ({ selected }: (typeof shapes)[number]) => [...selected.keys()].join()
  const different = shapes.filter((shape, index) => shapes.findIndex((other) => keysOf(other) === keysOf(shape)) === index)
  // Longest first: zod's union takes the first match, and an object schema accepts additional keys.
  const schemas = different
    .sort((one, other) => other.selected.size - one.selected.size)
    .map(({ type, selected }) => typeSchema(type, selected, reader))
  const [only] = schemas
  return schemas.length === 1 && only ? only : z.union(schemas)
}

/**
 * MCP requires an object schema at the root: keys that only some of the possible types have become
 * optional.
 */
function rootSchema(type: GraphQLOutputType | undefined, selectionSet: SelectionSetNode, reader: Reader): z.ZodType {
  const schemas = possibleTypes(getNamedType(type), reader).map((each) =>
    typeSchema(each, selectedOn(each, selectionSet, reader, getNamedType(type)), reader),
  )
  const objects = schemas.filter((schema) => schema instanceof z.ZodObject)
  if (schemas.length === 1 || objects.length < schemas.length) return objectSchema(type, selectionSet, reader)
  const keys = new Set(objects.flatMap(({ shape }) => Object.keys(shape)))
  return z.object(
    Object.fromEntries(
      [...keys].map((key) => {
        const found = objects.flatMap(({ shape }) => ownValue(shape, key) ?? [])
        const [first = z.never()] = found
        return [key, found.length === objects.length ? first : z.optional(first)]
      }),
    ),
  )
}

function typeSchema(type: GraphQLObjectType, selected: ReadonlyMap<string, Selected>, reader: Reader): z.ZodType {
  const node = type.name.endsWith('Edge') && selected.size === 1 ? selected.get('node') : undefined
  if (node) return z.preprocess((edge) => (isObject(edge) ? edge.node : edge), valueSchema(node, reader))
  const shape = Object.fromEntries(
    [...selected].map(([key, field]) => {
      const value = valueSchema(field, reader)
      return [key, field.description ? value.describe(field.description) : value]
    }),
  )
  return z.object(shape)
}

const possibleTypes = (type: ReturnType<typeof getNamedType>, { schema }: Reader): readonly GraphQLObjectType[] =>
  isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : []

/**
 * Fields selected for an object type by response key, in the order of the response. Descriptions
 * come from `selectionType` when it is an interface.
 */
function selectedOn(
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode | undefined,
  reader: Reader,
  selectionType: GraphQLNamedType | null | undefined,
): ReadonlyMap<string, Selected> {
  const found = new Map<string, Selected>()
  const [fields, meanings] = [type.getFields(), isInterfaceType(selectionType) ? selectionType.getFields() : {}]
  for (const selection of selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value
      const field = fields[name]
      const description = meanings[name]?.description ?? field?.description
      if (field) add((selection.alias ?? selection.name).value, { node: selection, type: field.type, description })
      continue
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : reader.fragments.get(selection.name.value)
    const condition = fragment?.typeCondition ? reader.schema.getType(fragment.typeCondition.name.value) : selectionType
    const applies = condition === type || (isAbstractType(condition) && reader.schema.isSubType(condition, type))
    if (!fragment || !applies) continue
    for (const [key, field] of selectedOn(type, fragment.selectionSet, reader, condition)) add(key, field)
  }
  return found

  /** A response key that is selected twice merges both selection sets. */
  function add(key: string, field: Selected): void {
    const [before, more] = [found.get(key)?.node.selectionSet, field.node.selectionSet]
    const both = before && more && { ...more, selections: [...before.selections, ...more.selections] }
    found.set(key, both ? { ...field, node: { ...field.node, selectionSet: both } } : field)
  }
}
