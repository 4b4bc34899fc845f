import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLError,
  GraphQLID,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { RefusedPart } from '../../authorization/operation-guard.ts'
import type { GatewayCode } from '../../operations/errors.ts'
import { type AnswerClass, answerClass } from '../response-object.ts'
import { type Owned, placeOf } from './exclusive-paths.ts'
import type { ResponsePath } from './flatten-path.ts'
import { isNestedTooDeep } from './nesting-limit.ts'
import { type Data, isData } from './response-data.ts'
import { CHECKS, enumTest, SIMPLE } from './scalar-checks.ts'

/**
 * Cuts what the subgraphs answered to what the client asked for; null when a null went up to the root. Where `mayChange`, what is owned becomes part of the
 * answer as it is, and what it holds is changed in its place: nothing of it may stand at two places, unless it is shared.
 */
export type Shape = (data: Data, variables: Variables, report: Report, mayChange: boolean, refuse?: Refuse) => Data | null

/** Says that a part of the answer may not be read. Called at each place where it would stand. */
export type Refuse = (part: RefusedPart, path: ResponsePath) => void

/** What may not be read: of a field at an object of a type, and of every object of a type. */
export type RefusedParts = {
  readonly ofField: (type: string, nodes: readonly FieldNode[]) => RefusedPart | null
  readonly ofType: (type: string) => RefusedPart | null
}

type Variables = Readonly<Record<string, unknown>>

/** Says that a value does not fit the schema, or what else `code` says. Called once for each null that is there for this reason only. */
export type Report = (message: string, path: ResponsePath, code?: GatewayCode) => void

/** Whether a selection counts: false where `@skip` or `@include` says so. */
export type IsOn = (node: { readonly directives?: FieldNode['directives'] }) => boolean

/** What is not made of subgraphs' answers: the schema itself, asked besides other fields, or what is wrong with how it is asked. */
export type Given = (nodes: readonly FieldNode[]) => (variables: Variables) => {
  readonly value: unknown
  readonly errors: readonly GraphQLError[]
}

/** What completing a value needs: where it stands (the first `depth` elements of `path`), and whom to tell. */
type Run = {
  readonly path: (string | number)[]
  readonly report: Report
  readonly refuse: Refuse
  readonly variables: Variables
  readonly mayChange: boolean
  /** How many shared objects are being cut: below each other. */
  cutting: number
  /** What did not fit in those. */
  readonly faults: Fault[]
  /** What shared objects were cut to. */
  shaped: Map<Data, Shaped> | null
}

/** What did not fit, or what was refused. */
type Fault = { readonly reason: string | RefusedPart; readonly path: ResponsePath }

/** `depth` is that of the place where it was cut, which the paths of its faults begin with. */
type Shaped = {
  readonly selection: Selection
  readonly value: unknown
  readonly depth: number
  readonly faults: readonly Fault[]
}

/**
 * The value that a client gets. Null is a null that is to be there if it may; undefined one whose reason was told, so that where it may not be there,
 * nothing more is said.
 */
type Complete = (value: unknown, run: Run, depth: number) => unknown

type Field = {
  /** Under which key subgraphs' answers have it, and under which the client gets it. */
  readonly from: string
  readonly key: string
  readonly isNullable: boolean
  readonly complete: Complete
  /** Whether a value that conforms to the schema of its subgraph is completed already. */
  readonly isSimple: boolean
  /** Type and field, for messages. */
  readonly name: string
}

/** What is asked of an object of one type. */
type Selection = {
  readonly fields: readonly Field[]
  readonly Answer: AnswerClass
  /** The fields that are left to be completed of an object that is owned and has all others as they are asked; null where a client gets another object. */
  readonly unfinished: readonly Field[] | null
}

/** A type that an object of an answer says it has; an interface where the subgraph knows no more than that. */
type Concrete = GraphQLObjectType | GraphQLInterfaceType

/**
 * Compiles the shape of an answer: fields in the order of the operation, with nulls carried up to the nearest place that may be null, by the rules of GraphQL
 * (October 2021, section 6). Of what is not `owned` nothing is taken from a subgraph on trust: leaves are checked, and so are types of objects.
 */
export function compileShape({
  schema,
  document,
  operation,
  keyOf,
  isOn,
  given,
  shared,
  owned,
  refused = null,
}: {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** The key that the client chose, by the one that the plan uses. */
  readonly keyOf: (key: string) => string
  readonly isOn: IsOn
  readonly given: Given
  /** The ways to objects that may stand at several places: keys of subgraphs' answers with `.` between, `@` for the items of a list. */
  readonly shared: ReadonlySet<string>
  /** What of subgraphs' answers may be changed. */
  readonly owned: Owned
  /** What the caller may not read, which is null with an error; null where it may read all. */
  readonly refused?: RefusedParts | null
}): Shape {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`Expected a schema with a ${operation.operation} type.`)
  const selection = selectionOf(root, [operation.selectionSet], NOWHERE)

  return (data, variables, report, mayChange, refuse = () => {}) => {
    const run: Run = { path: [], report, refuse, variables, mayChange, cutting: 0, faults: [], shaped: null }
    return (completeObject(selection, data, run, 0) as Data | undefined) ?? null
  }

  /** The fields of an object of this type, each with every selection below it. */
  function selectionOf(type: Concrete, selectionSets: readonly SelectionSetNode[], way: Way): Selection {
    const groups = new Map<string, FieldNode[]>()
    const visited = new Set<string>()
    for (const selectionSet of selectionSets) collect(selectionSet)
    const fields = [...groups].map(([from, nodes]) => fieldOf(type, from, nodes, way))
    return {
      fields,
      Answer: answerClass(fields.length),
      unfinished: hasAsAsked(fields, ownedAt(way)) ? fields.filter(({ isSimple }) => !isSimple) : null,
    }

    function collect({ selections }: SelectionSetNode): void {
      for (const selection of selections) {
        if (!isOn(selection)) continue
        if (selection.kind === Kind.FIELD) {
          const key = (selection.alias ?? selection.name).value
          const group = groups.get(key)
          if (group) group.push(selection)
          else groups.set(key, [selection])
          continue
        }
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          if (visited.has(selection.name.value)) continue
          visited.add(selection.name.value)
        }
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
        if (fragment && appliesTo(fragment.typeCondition?.name.value, type)) collect(fragment.selectionSet)
      }
    }
  }

  /** What an object has that is owned at this way; undefined where none is. */
  function ownedAt({ name, isPlain }: Way): ReturnType<Owned['get']> {
    return isPlain || shared.size === 0 ? owned.get(placeOf(name)) : undefined
  }

  function appliesTo(condition: string | undefined, type: Concrete): boolean {
    if (condition === undefined || condition === type.name) return true
    const wanted = schema.getType(condition)
    return isAbstractType(wanted) && schema.isSubType(wanted, type)
  }

  function fieldOf(type: Concrete, from: string, nodes: readonly FieldNode[], parentWay: Way): Field {
    const name = nodes[0]?.name.value ?? ''
    const described = { from, key: keyOf(from), name: `${type.name}.${name}`, isSimple: false }
    if (name === '__typename') return { ...described, isNullable: false, complete: typenameOf(type) }
    if (type === schema.getQueryType() && (name === '__schema' || name === '__type')) {
      return { ...described, isNullable: name === '__type', complete: completeGiven(given(nodes)) }
    }
    const definition = type.getFields()[name]
    if (!definition) throw new Error(`Expected a field ${described.name}.`)
    const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const isNullable = !isNonNullType(definition.type)
    const part = refused?.ofField(type.name, nodes)
    if (part) return { ...described, isNullable, complete: (_, run, depth) => refuseAt(part, run, depth) }
    const way = { ...parentWay, name: parentWay.name === '' ? from : `${parentWay.name}.${from}` }
    const complete = completeOf(definition.type, selectionSets, described.name, way)
    return { ...described, isNullable, complete, isSimple: SIMPLE.has(getNamedType(definition.type).name) }
  }

  function completeOf(type: GraphQLOutputType, selectionSets: readonly SelectionSetNode[], name: string, way: Way): Complete {
    if (isNonNullType(type)) return completeOf(type.ofType, selectionSets, name, way)
    if (isListType(type)) {
      const { ofType } = type
      const complete = completeOf(ofType, selectionSets, name, { ...way, name: `${way.name}.@` })
      return completeList(complete, !isNonNullType(ofType), name, ownedAt(way) !== undefined)
    }
    return isCompositeType(type) ? completeComposite(type, selectionSets, way) : completeLeaf(type)
  }

  function completeComposite(declared: GraphQLCompositeType, selectionSets: readonly SelectionSetNode[], given: Way): Complete {
    const way = { ...given, isPlain: given.isPlain && isObjectType(declared) }
    const complete = shared.has(way.name) ? completeShared : completeObject
    // One for each type, however it is named: a type may be said or left to be known, and what is owned below an object may be completed by one selection only.
    const known = new Map<Concrete, Selection>()
    // Of a list most items are of one type.
    let last: { readonly typename: unknown; readonly selection: Selection } | null = null
    // Most objects are of a type that is known beforehand; what they say of it must agree all the same, unless they say nothing.
    return (value, run, depth) => {
      if (value === null) return null
      if (!isData(value)) return unfit(`Expected an object of type "${declared.name}".`, run, depth)
      const typename = value.__typename
      const part = refused && typeof typename === 'string' ? refused.ofType(typename) : null
      if (part) return refuseAt(part, run, depth)
      const selection = last !== null && last.typename === typename ? last.selection : selectionFor(typename)
      return selection
        ? complete(selection, value, run, depth)
        : unfit(`Expected an object of type "${declared.name}", got one of another.`, run, depth)
    }

    function selectionFor(typename: unknown): Selection | null {
      const type = concreteType(declared, typename)
      // Only what the schema has is remembered: a subgraph may answer anything.
      if (!type) return null
      const selection = known.get(type) ?? selectionOf(type, selectionSets, way)
      known.set(type, selection)
      last = { typename, selection }
      return selection
    }
  }

  function concreteType(declared: GraphQLCompositeType, typename: unknown): Concrete | null {
    if (typename === undefined) return isObjectType(declared) || isInterfaceType(declared) ? declared : null
    const type = typeof typename === 'string' ? schema.getType(typename) : null
    if (!isObjectType(type) && !isInterfaceType(type)) return null
    return type === declared || (isAbstractType(declared) && schema.isSubType(declared, type)) ? type : null
  }
}

/**
 * A way from the root, as text. `isPlain` while no value on it may be of several types: then every object there is cut by one selection. Of several, an object that
 * is shared may be cut by one after the other.
 */
type Way = { readonly name: string; readonly isPlain: boolean }

const NOWHERE: Way = { name: '', isPlain: true }

/** Whether owned objects with these keys are what is asked. */
const hasAsAsked = (fields: readonly Field[], keys: readonly string[] | null | undefined): boolean =>
  keys?.length === fields.length && fields.every(({ from, key }, index) => from === keys[index] && key === from)

const completeGiven =
  (answer: ReturnType<Given>): Complete =>
  (_, { variables, path, report }, depth) => {
    const { value, errors } = answer(variables)
    for (const error of errors) report(error.message, [...path.slice(0, depth), ...(error.path ?? []).slice(1)], 'BAD_USER_INPUT')
    return value
  }

const typenameOf =
  (type: Concrete): Complete =>
  () =>
    isObjectType(type) ? type.name : null

function completeObject({ fields, Answer, unfinished }: Selection, from: Data, run: Run, depth: number): unknown {
  const isOwned = unfinished !== null && run.mayChange
  const shaped = isOwned ? from : new Answer()
  const asked = isOwned ? unfinished : fields
  for (let index = 0; index < asked.length; index++) {
    const field = asked[index] as Field
    run.path[depth] = field.key
    const value = from[field.from]
    let completed = field.complete(value === undefined ? null : value, run, depth + 1)
    if (completed === null || completed === undefined) {
      if (!field.isNullable) {
        if (completed === null) unfit(`Cannot return null for non-nullable field ${field.name}.`, run, depth + 1)
        return undefined
      }
      completed = null
    }
    shaped[field.key] = completed
  }
  return shaped
}

/** An object that may stand at several places: cut once, and each place is told what in it did not fit. */
function completeShared(selection: Selection, from: Data, run: Run, depth: number): unknown {
  const met = run.shaped?.get(from)
  if (met?.selection === selection) {
    for (const { reason, path } of met.faults) tell(reason, [...run.path.slice(0, depth), ...path.slice(met.depth)], run)
    return met.value
  }
  const before = run.faults.length
  run.cutting++
  const value = completeObject(selection, from, run, depth)
  run.cutting--
  run.shaped ??= new Map()
  run.shaped.set(from, { selection, value, depth, faults: run.faults.length === before ? NONE : run.faults.slice(before) })
  return value
}

const NONE: readonly Fault[] = []

const completeList =
  (complete: Complete, isNullable: boolean, name: string, isOwned: boolean): Complete =>
  (value, run, depth) => {
    if (value === null) return null
    if (!Array.isArray(value)) return unfit(`Expected a list for field ${name}.`, run, depth)
    const shaped: unknown[] = isOwned && run.mayChange ? value : new Array(value.length)
    for (let index = 0; index < value.length; index++) {
      run.path[depth] = index
      const item = value[index]
      let completed = complete(item === undefined ? null : item, run, depth + 1)
      if (completed === null || completed === undefined) {
        if (!isNullable) {
          if (completed === null) unfit(`Cannot return null for non-nullable field ${name}.`, run, depth + 1)
          return undefined
        }
        completed = null
      }
      shaped[index] = completed
    }
    return shaped
  }

function completeLeaf(type: GraphQLNamedType): Complete {
  if (type.name === GraphQLID.name) return completeId
  const message = `Expected a value of type "${type.name}".`
  const fits = isEnumType(type) ? enumTest(type.getValues().map(({ name }) => name)) : CHECKS.get(type.name)
  if (!fits) return (value, run, depth) => (isNestedTooDeep(value) ? unfit(TOO_DEEP, run, depth) : value)
  return (value, run, depth) => (value === null || fits(value) ? value : unfit(message, run, depth))
}

const TOO_DEEP = 'Expected a value that is nested less deeply.'

/** Whatever a subgraph has as identifiers, clients get text (section 3.5.5). */
const completeId: Complete = (value, run, depth) => {
  if (typeof value === 'string' || value === null) return value
  return Number.isInteger(value) ? String(value) : unfit(`Expected a value of type "${GraphQLID.name}".`, run, depth)
}

function unfit(message: string, run: Run, depth: number): undefined {
  tell(message, run.path.slice(0, depth), run)
  return undefined
}

function refuseAt(part: RefusedPart, run: Run, depth: number): undefined {
  tell(part, run.path.slice(0, depth), run)
  return undefined
}

function tell(reason: Fault['reason'], path: ResponsePath, run: Run): void {
  if (run.cutting > 0) run.faults.push({ reason, path })
  if (typeof reason === 'string') run.report(reason, path)
  else run.refuse(reason, path)
}
