import {
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isInterfaceType,
  isObjectType,
  parse,
  validate,
} from 'graphql'
import { ANY_COORDINATE } from '../../gateway/usage/usage-recorder.ts'
import { type BecameRequired, becameRequired, holdersOf } from './required-inputs.ts'
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
  const invalid = counted.flatMap((operation) => {
    const messages = newErrors(operation, current, proposed)
    return messages.length > 0 ? [{ operation, messages }] : []
  })
  const invalidOperations = new Set(invalid.map(({ operation }) => operation))
  const changes = changesOf(current, proposed).map((change): JudgedChange => {
    const { type, description } = change
    const traced = affectedBy(change, current)
    if (traced === null) return { type, description, verdict: 'unknown', operations: [] }
    const { affects, mayAffect } = traced
    // Texts say who leaves out what is required now; coordinates do not.
    const affected = counted.filter(
      (each) => each.coordinates.some(affects) || (invalidOperations.has(each) && each.coordinates.some(mayAffect)),
    )
    const isTextMissing = counted.some((each) => each.signature === null && each.coordinates.some(mayAffect))
    const isUnknown = firstDay === null || isAnythingUsed || isTextMissing
    return { type, description, verdict: affected.length > 0 ? 'breaks' : isUnknown ? 'unknown' : 'safe', operations: affected }
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

/** A breaking change; `required`: what it makes required. */
type Change = { readonly type: string; readonly description: string; readonly required: BecameRequired | null }

/** Those of graphql-js, and defaults whose removal makes something required, which it does not count. */
function changesOf(current: GraphQLSchema, proposed: GraphQLSchema): readonly Change[] {
  const required = becameRequired(current, proposed)
  const described = new Set<BecameRequired>()
  const changes = findBreakingChanges(current, proposed).map(({ type, description }): Change => {
    const found = required.find(({ changedType }) => description.startsWith(changedType)) ?? null
    if (found) described.add(found)
    return { type, description, required: found }
  })
  const withoutDefault = required.filter((each) => !described.has(each))
  return [
    ...changes,
    ...withoutDefault.map((each): Change => ({ type: 'DEFAULT_REMOVED', description: each.lostDefault, required: each })),
  ]
}

type IsAffected = (coordinate: string) => boolean
/** `mayAffect`: what operations use that may leave out what is required now. */
type Traced = { readonly affects: IsAffected; readonly mayAffect: IsAffected }
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
  [
    /^(?:Standard scalar )?(?<type>\w+) (?:was removed|changed from .+)(?: because .+)?\.$/,
    ({ type }, schema) => (isInputType(schema.getType(type ?? '')) ? ofInputType(type, schema) : ofType(type)),
  ],
]

/** What a change affects; null: it cannot be told. */
function affectedBy({ type, description, required }: Change, schema: GraphQLSchema): Traced | null {
  if (type.includes('DIRECTIVE')) {
    const [, name] = /(?:from |on directive |^)(\w+)(?: was (?:removed|added))?\.$/.exec(description) ?? []
    return name === undefined ? null : { affects: oneOf([`@${name}`]), mayAffect: nothing }
  }
  const mayAffect = required ? withoutValueOf(required, schema) : nothing
  // Variables may leave out what their type has.
  if (type === 'DEFAULT_REMOVED') return { affects: oneOf([`${required?.type}.*`]), mayAffect }
  for (const [pattern, affects] of DESCRIPTIONS) {
    const groups = pattern.exec(description)?.groups
    if (!groups) continue
    const isAdded = type === 'REQUIRED_INPUT_FIELD_ADDED'
    return { affects: affects(groups, schema), mayAffect: isAdded ? ofInputType(groups.type, schema) : mayAffect }
  }
  return null
}

/** Whatever may be without a value for an argument or an input field. */
const withoutValueOf = ({ type, field }: BecameRequired, schema: GraphQLSchema): IsAffected =>
  isInputObjectType(schema.getType(type)) ? ofInputType(type, schema) : ofField({ type, field }, schema)

const nothing: IsAffected = () => false
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
/** Also an argument of that type: no coordinate names scalars, nor an input type without fields. */
const ofInputType = (type = '', schema: GraphQLSchema): IsAffected => either(ofType(type), oneOf(holdersOf(type, schema)))
const ofField = ({ type, field }: Names, schema: GraphQLSchema): IsAffected =>
  oneOf([...owners(type, field, schema).map((owner) => `${owner}.${field}`), `${type}.*`])

/** The type, and its interfaces with that field, by which clients may read it. */
function owners(name = '', field = '', schema: GraphQLSchema): readonly string[] {
  const type = schema.getType(name)
  if (!isObjectType(type) && !isInterfaceType(type)) return [name]
  return [name, ...type.getInterfaces().flatMap((face) => (Object.hasOwn(face.getFields(), field) ? [face.name] : []))]
}
