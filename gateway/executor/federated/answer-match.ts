import { isUtf8 } from 'node:buffer'
import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'
import { documentIndex } from '../../operations/document-index.ts'
import {
  type MatchedField,
  type MatchValue,
  matchBoolean,
  matchEither,
  matchInt,
  matchList,
  matchName,
  matchNumber,
  matchObject,
  matchString,
  matchText,
  NO_MATCH_OFFSET,
  orNull,
  scannedText,
} from './json-scan.ts'
import type { ProjectedOperation } from './projection.ts'
import { fieldsOfType } from './runtime-type.ts'

/** Whether the body of a response is exactly what the client gets of it. */
export type MatchAnswer = (body: Buffer) => boolean

/** Fields of an operation, counted per type, up to which a match is compiled. */
const MAX_FIELDS = 2_000
/** Levels of lists in a value of a custom scalar. Objects there may repeat a key. */
const MAX_SCALAR_LISTS = 4

const LEAVES: ReadonlyMap<GraphQLNamedType['name'], MatchValue> = new Map([
  ['Int', matchInt],
  ['Float', matchNumber],
  ['String', matchString],
  ['ID', matchString],
  ['Boolean', matchBoolean],
])

const matchScalar: MatchValue = Array.from({ length: MAX_SCALAR_LISTS }).reduce<MatchValue>(
  (inner) => orNull(matchEither(inner, matchList(inner))),
  orNull(matchEither(matchString, matchNumber, matchBoolean)),
)

/**
 * Compiles the match of a response that the projection of the same operation would leave as it is:
 * the selected keys in order and nothing else, each value of its type, and no error. Null when no
 * response can be so. It may miss such responses, with spaces or other forms of numbers.
 */
export function compileAnswerMatch({
  schema,
  document,
  operation,
  keyOf,
  isIncluded,
}: Pick<ProjectedOperation, 'schema' | 'document' | 'operation' | 'keyOf' | 'isIncluded'>): MatchAnswer | null {
  const { fragments } = documentIndex(document)
  const root = schema.getRootType(operation.operation)
  let fields = 0
  const data = root ? objectOf(root, [operation.selectionSet]) : null
  if (!data) return null
  const match = matchObject([{ key: 'data', value: data }])
  return (body) => match(scannedText(body), 0) === body.length && isUtf8(body)

  function objectOf(type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[]): MatchValue | null {
    const matched: MatchedField[] = []
    for (const [from, nodes] of fieldsOfType(type, selectionSets, schema, fragments, isIncluded)) {
      // Keys that the plan renames differ from the client's.
      if (keyOf(from) !== from || ++fields > MAX_FIELDS) return null
      const value = fieldValue(type, nodes)
      if (!value) return null
      matched.push({ key: from, value })
    }
    return matched.length === 0 ? null : matchObject(matched)
  }

  function fieldValue(type: GraphQLObjectType, nodes: readonly FieldNode[]): MatchValue | null {
    const name = nodes[0]?.name.value ?? ''
    if (name === '__typename') return matchText(`"${type.name}"`)
    const definition = type.getFields()[name]
    // `__schema` and `__type` are not the subgraph's.
    if (!definition) return null
    return typed(
      definition.type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    )
  }

  function typed(type: GraphQLOutputType, selectionSets: readonly SelectionSetNode[]): MatchValue | null {
    if (isNonNullType(type)) return present(type.ofType, selectionSets)
    const value = present(type, selectionSets)
    return value && orNull(value)
  }

  function present(type: GraphQLOutputType, selectionSets: readonly SelectionSetNode[]): MatchValue | null {
    if (isListType(type)) {
      const item = typed(type.ofType, selectionSets)
      return item && matchList(item)
    }
    if (isCompositeType(type)) return compositeOf(type, selectionSets)
    if (isEnumType(type)) return matchName(type.getValues().map(({ name }) => name))
    return LEAVES.get(String(type)) ?? matchPresentScalar
  }

  /** Objects of several types are told apart by `__typename`, so at their first key. */
  function compositeOf(type: GraphQLCompositeType, selectionSets: readonly SelectionSetNode[]): MatchValue | null {
    if (isObjectType(type)) return objectOf(type, selectionSets)
    const options: MatchValue[] = []
    for (const possible of schema.getPossibleTypes(type)) {
      const groups = fieldsOfType(possible, selectionSets, schema, fragments, isIncluded)
      const [first] = groups.values()
      const option = first?.[0]?.name.value === '__typename' ? objectOf(possible, selectionSets) : null
      if (!option) return null
      options.push(option)
    }
    return options.length === 0 ? null : matchEither(...options)
  }
}

/** Matches a value of a custom scalar other than null. */
const matchPresentScalar: MatchValue = (text, at) => (text.bytes[at] === 0x6e ? NO_MATCH_OFFSET : matchScalar(text, at))
