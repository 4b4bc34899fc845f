import {
  type BreakingChange,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  parse,
  validate,
} from 'graphql'
import { ANY_COORDINATE } from '../../gateway/usage/usage-recorder.ts'
import { requestsOf, type UsageReport, type UsedOperation } from './usage-report.ts'

/** A breaking change, with the operations that it breaks. */
export type JudgedChange = {
  readonly type: string
  readonly description: string
  /** `unknown`: nothing was recorded that could say so. */
  readonly verdict: 'safe' | 'breaks' | 'unknown'
  /** Operations that use what changes, most requests first. */
  readonly operations: readonly UsedOperation[]
}

/** An operation that would be invalid, and by what. */
export type InvalidOperation = { readonly operation: UsedOperation; readonly messages: readonly string[] }

export type SchemaCheck = {
  readonly changes: readonly JudgedChange[]
  readonly invalid: readonly InvalidOperation[]
  /** What changes without making an operation invalid. */
  readonly dangerous: readonly string[]
  readonly isSafe: boolean
}

/**
 * Judges what `proposed` would break of what clients did with `current`. Operations with fewer than
 * `minRequests` count as unused. Without any record nothing is safe.
 */
export function checkSchema(
  current: GraphQLSchema,
  proposed: GraphQLSchema,
  { operations, firstDay }: Pick<UsageReport, 'operations' | 'firstDay'>,
  { minRequests = 1 }: { readonly minRequests?: number } = {},
): SchemaCheck {
  const counted = operations.filter((operation) => requestsOf(operation) >= minRequests)
  const isAnythingUsed = counted.some(({ coordinates }) => coordinates.includes(ANY_COORDINATE))
  const changes = findBreakingChanges(current, proposed).map((change): JudgedChange => {
    const affects = affectedBy(change, current)
    const affected = affects === null ? [] : counted.filter(({ coordinates }) => coordinates.some(affects))
    const isUnknown = firstDay === null || affects === null || isAnythingUsed
    const { type, description } = change
    return { type, description, verdict: affected.length > 0 ? 'breaks' : isUnknown ? 'unknown' : 'safe', operations: affected }
  })
  const invalid = counted.flatMap((operation) => {
    const messages = newErrors(operation, current, proposed)
    return messages.length > 0 ? [{ operation, messages }] : []
  })
  return {
    changes,
    invalid,
    dangerous: findDangerousChanges(current, proposed).map(({ description }) => description),
    isSafe: invalid.length === 0 && changes.every(({ verdict }) => verdict === 'safe'),
  }
}

/** What is wrong with an operation on `proposed` and was not on `current`, where its text is stored. */
function newErrors({ signature }: UsedOperation, current: GraphQLSchema, proposed: GraphQLSchema): readonly string[] {
  if (signature === null) return []
  const document = parse(signature, { noLocation: true })
  // Texts without literals and aliases may be invalid by that alone.
  const before = new Set(validate(current, document).map(({ message }) => message))
  return validate(proposed, document)
    .map(({ message }) => message)
    .filter((message) => !before.has(message))
}

type IsAffected = (coordinate: string) => boolean
type Names = Readonly<Partial<Record<string, string>>>

/** Descriptions of graphql-js 16, which has no coordinates of changes; a test reads each of them. */
const DESCRIPTIONS: readonly (readonly [pattern: RegExp, affects: (names: Names, schema: GraphQLSchema) => IsAffected])[] = [
  [/^(?<type>\w+)\.(?<field>\w+) (?:was removed|changed type from .+)\.$/, (names, schema) => ofField(names, schema)],
  [
    /^(?<type>\w+)\.(?<field>\w+) arg (?<arg>\w+) (?:was removed|has changed type from .+)\.$/,
    ({ type, field, arg }, schema) => oneOf(owners(type, field, schema).map((owner) => `${owner}.${field}(${arg}:)`)),
  ],
  [/^A required arg \w+ on (?<type>\w+)\.(?<field>\w+) was added\.$/, (names, schema) => ofField(names, schema)],
  [/^A required field \w+ on input type (?<type>\w+) was added\.$/, ({ type }) => startingWith(`${type}.`)],
  [/^(?<value>\w+) was removed from enum type (?<type>\w+)\.$/, ({ type, value }) => oneOf([`${type}.${value}`, `${type}.*`])],
  [
    /^(?<member>\w+) was removed from union type (?<union>\w+)\.$/,
    ({ member, union }) => either(ofType(member), oneOf([union ?? ''])),
  ],
  [/^(?<type>\w+) no longer implements interface (?<face>\w+)\.$/, ({ type, face }) => either(ofType(type), ofType(face))],
  [/^(?:Standard scalar )?(?<type>\w+) (?:was removed|changed from .+)(?: because .+)?\.$/, ({ type }) => ofType(type)],
]

/** What a change affects; null: it cannot be told. */
function affectedBy({ type, description }: BreakingChange, schema: GraphQLSchema): IsAffected | null {
  if (type.includes('DIRECTIVE')) {
    const [, name] = /(?:from |on directive |^)(\w+)(?: was (?:removed|added))?\.$/.exec(description) ?? []
    return name === undefined ? null : oneOf([`@${name}`])
  }
  for (const [pattern, affects] of DESCRIPTIONS) {
    const groups = pattern.exec(description)?.groups
    if (groups) return affects(groups, schema)
  }
  return null
}

const oneOf =
  (coordinates: readonly string[]): IsAffected =>
  (coordinate) =>
    coordinates.includes(coordinate)
const startingWith =
  (prefix: string): IsAffected =>
  (coordinate) =>
    coordinate.startsWith(prefix)
const either =
  (one: IsAffected, other: IsAffected): IsAffected =>
  (coordinate) =>
    one(coordinate) || other(coordinate)
const ofType = (type = ''): IsAffected => either(oneOf([type]), startingWith(`${type}.`))
const ofField = ({ type, field }: Names, schema: GraphQLSchema): IsAffected =>
  oneOf([...owners(type, field, schema).map((owner) => `${owner}.${field}`), `${type}.*`])

/** The type, and its interfaces with that field, by which clients may read it. */
function owners(name = '', field = '', schema: GraphQLSchema): readonly string[] {
  const type = schema.getType(name)
  if (!isObjectType(type) && !isInterfaceType(type)) return [name]
  return [name, ...type.getInterfaces().flatMap((face) => (Object.hasOwn(face.getFields(), field) ? [face.name] : []))]
}
