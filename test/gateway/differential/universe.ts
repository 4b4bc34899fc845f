import {
  type DirectiveNode,
  type DocumentNode,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { hashOf } from './random.ts'

/** An object of the universe: its type, and the name that its fields depend on. */
export type Thing = {
  readonly __typename: string
  readonly identity: string
  /** As a subgraph was told of it; what `@requires` names is in there. */
  readonly representation?: Readonly<Record<string, unknown>>
}

/** One subgraph's part of a universe. */
export type Part = { readonly typeDefs: DocumentNode; readonly schema: GraphQLSchema }

/**
 * Values for every field of a graph, which depend on the object, the field and its arguments and on
 * nothing else, so that it does not matter who is asked. A field with `@requires` also depends on
 * what it requires.
 */
export type Universe = {
  readonly valueAt: (thing: Thing, field: string, given: Readonly<Record<string, unknown>>) => unknown
  /** The object that a representation names, or null when it names none. */
  readonly thingOf: (representation: Readonly<Record<string, unknown>>) => Thing | null
  readonly root: (typename: string) => Thing
  /** Names of fields that keys, `@requires` or `@provides` use. */
  readonly needed: ReadonlySet<string>
  /**
   * Whether anything is under `@requires`: the planner fails where only a part of what is required
   * is under a condition; see `deviations.ts`.
   */
  readonly hasRequirements: boolean
  /**
   * Fields of an `@interfaceObject`: the planner takes the arguments of one type for all; see
   * `deviations.ts`.
   */
  readonly isShared: (type: string, field: string) => boolean
  /**
   * Fields that operations must not ask for: what they require cannot be worked out, here or by the
   * planner.
   */
  readonly isLeftOut: (type: string, field: string) => boolean
  /**
   * Whether anything throws. Only fields throw whose promises are the same everywhere, and which
   * nothing else needs.
   */
  isFaulty: boolean
}

type Facts = {
  type: GraphQLOutputType
  /** Types that it may lead to, where it leads to objects. */
  possible: readonly string[]
  requires: SelectionSetNode | null
  /** In how many subgraphs it is resolved. */
  owners: number
  types: Set<string>
}

/**
 * Throws when a key of an entity has no text of its own on its first level: there is nothing to
 * tell entities apart by.
 */
export function createUniverse(api: GraphQLSchema, parts: readonly Part[]): Universe {
  const facts = new Map<string, Facts>()
  const keys = new Map<string, Set<string>>()
  const needed = new Set<string>()
  const leftOut = new Set<string>()
  const shared = new Set<string>()
  const enums = new Map<string, readonly string[]>()
  const requirements = new Map<string, SelectionSetNode>()
  for (const part of parts) read(part)
  const self: Universe = {
    valueAt,
    thingOf,
    root: (typename) => ({ __typename: typename, identity: typename }),
    needed,
    hasRequirements: requirements.size > leftOut.size,
    isShared: (type, field) => isAmong(shared, type, field),
    isLeftOut: (type, field) => isAmong(leftOut, type, field),
    isFaulty: false,
  }
  return self

  function read({ typeDefs, schema }: Part): void {
    for (const definition of typeDefs.definitions) {
      if (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) {
        const own = definition.name.value
        const isInterfaceObject = definition.directives?.some(({ name }) => name.value === 'interfaceObject')
        for (const text of argumentsOf(definition.directives, 'key')) noteKey(own, selectionOf(text))
        for (const field of definition.fields ?? []) {
          for (const name of ['requires', 'provides'])
            for (const text of argumentsOf(field.directives, name)) noteNeeded(selectionOf(text))
          const [required] = argumentsOf(field.directives, 'requires')
          if (isInterfaceObject) shared.add(`${own}.${field.name.value}`)
          if (required === undefined) continue
          noteRequired(`${own}.${field.name.value}`, selectionOf(required))
          // Below a fragment the planner sends objects of other types, too, without their keys:
          // `deviations.ts`.
          if (isInterfaceObject) leftOut.add(`${own}.${field.name.value}`)
        }
      }
    }
    for (const type of Object.values(schema.getTypeMap())) {
      if (type.name.startsWith('_')) continue
      if (isEnumType(type)) {
        const values = type.getValues().map(({ name }) => name)
        const known = enums.get(type.name)
        enums.set(type.name, known ? known.filter((value) => values.includes(value)) : values)
      }
      if (!isObjectType(type)) continue
      for (const field of Object.values(type.getFields())) {
        if (!field.name.startsWith('_'))
          noteField(`${type.name}.${field.name}`, field.type, schema, isExternal(typeDefs, type.name, field.name))
      }
    }
  }

  function noteField(name: string, type: GraphQLOutputType, schema: GraphQLSchema, external: boolean): void {
    const possible = possibleOf(getNamedType(type), schema)
    const known = facts.get(name) ?? { type, possible, requires: null, owners: 0, types: new Set() }
    known.type = known.owners + known.types.size === 0 ? type : strictest(known.type, type)
    known.possible = known.possible.filter((one) => possible.includes(one))
    known.types.add(String(type))
    if (!external) known.owners++
    facts.set(name, known)
    const required = requirements.get(name)
    if (required) known.requires = required
  }

  /**
   * Types that a field may lead to: those that clients know. An object type that stands for an
   * interface leads to all that implement it.
   */
  function possibleOf(type: GraphQLNamedType, schema: GraphQLSchema): readonly string[] {
    const seen = api.getType(type.name)
    if (isObjectType(type) && isObjectType(seen)) return [type.name]
    if (isObjectType(type) && isInterfaceType(seen)) return api.getPossibleTypes(seen).map(({ name }) => name)
    if (isAbstractType(type))
      return schema
        .getPossibleTypes(type)
        .map(({ name }) => name)
        .filter((name) => api.getType(name))
    return []
  }

  function noteKey(type: string, selection: SelectionSetNode): void {
    const names = keys.get(type) ?? new Set()
    for (const chosen of selection.selections) {
      if (chosen.kind !== Kind.FIELD) continue
      if (!chosen.selectionSet) names.add(chosen.name.value)
    }
    if (names.size === 0) throw new Error(`Expected a key of ${type} with a text of its own.`)
    keys.set(type, names)
    noteNeeded(selection)
  }

  function noteNeeded(selection: SelectionSetNode): void {
    for (const chosen of selection.selections) {
      if (chosen.kind === Kind.FIELD) needed.add(chosen.name.value)
      if (chosen.kind !== Kind.FRAGMENT_SPREAD && chosen.selectionSet) noteNeeded(chosen.selectionSet)
    }
  }

  function noteRequired(name: string, selection: SelectionSetNode): void {
    if (JSON.stringify(selection).includes(`"kind":"${Kind.ARGUMENT}"`)) leftOut.add(name)
    requirements.set(name, selection)
  }

  function factsOf(type: string, field: string): Facts {
    const own = facts.get(`${type}.${field}`)
    if (own) return own
    const seen = api.getType(type)
    const around = isObjectType(seen) ? seen.getInterfaces().map(({ name }) => name) : []
    for (const name of around) {
      const inherited = facts.get(`${name}.${field}`)
      if (inherited) return inherited
    }
    throw new Error(`Expected a subgraph to have ${type}.${field}.`)
  }

  /** Whether a field is in a set, by its own type or by an interface of that. */
  function isAmong(names: ReadonlySet<string>, type: string, field: string): boolean {
    const seen = api.getType(type)
    const around = isObjectType(seen) ? seen.getInterfaces().map(({ name }) => name) : []
    return [type, ...around].some((name) => names.has(`${name}.${field}`))
  }

  function valueAt(thing: Thing, field: string, given: Readonly<Record<string, unknown>>): unknown {
    const { identity } = thing
    const type = typeIn(identity) ?? thing.__typename
    const about = factsOf(type, field)
    if (self.isFaulty && mayThrow(field, about) && hashOf(`${identity}.${field} throws`) % 9 === 0)
      throw new Error('password=hunter2')
    if (keysOf(type).has(field)) return identity
    const required = about.requires ? JSON.stringify(projected(thing, about.requires)) : ''
    return valueFor(
      about.type,
      about,
      `${identity}.${field}(${canonical(given)})${required === '' ? '' : `#${hashOf(required)}`}`,
    )
  }

  function mayThrow(field: string, { owners, types }: Facts): boolean {
    return owners === 1 && types.size === 1 && !needed.has(field)
  }

  function keysOf(type: string): ReadonlySet<string> {
    const seen = api.getType(type)
    const around = isObjectType(seen) ? seen.getInterfaces().map(({ name }) => name) : []
    return new Set([type, ...around].flatMap((name) => [...(keys.get(name) ?? [])]))
  }

  function valueFor(type: GraphQLOutputType, about: Facts, seed: string): unknown {
    if (isNonNullType(type)) return valueFor(type.ofType, about, `${seed}!`)
    // Whoever promises more has asked for a value above.
    if (!seed.endsWith('!') && hashOf(`${seed} null`) % 8 === 0) return null
    if (isListType(type)) {
      const length = hashOf(`${seed} length`) % 4
      return Array.from({ length }, (_, index) => valueFor(type.ofType, about, `${seed}[${index}]`))
    }
    const hash = hashOf(seed)
    if (about.possible.length > 0) {
      const typename = about.possible[hash % about.possible.length] ?? ''
      // Entities are few, so that they meet; anything else belongs to where it was found.
      return { __typename: typename, identity: keysOf(typename).size > 0 ? `${typename}:${hash % 5}` : seed } satisfies Thing
    }
    const named = getNamedType(type)
    if (!isLeafType(named)) return null
    if (isEnumType(named)) {
      const values = (enums.get(named.name) ?? []).filter((value) => isVisible(named.name, value))
      return values.length > 0 ? values[hash % values.length] : null
    }
    return leaf(named.name, hash)
  }

  function isVisible(name: string, value: string): boolean {
    const seen = api.getType(name)
    return !isEnumType(seen) || seen.getValue(value) !== undefined
  }

  function thingOf(representation: Readonly<Record<string, unknown>>): Thing | null {
    for (const value of Object.values(representation)) {
      const typename = typeof value === 'string' ? typeIn(value) : undefined
      if (typename !== undefined && api.getType(typename))
        return { __typename: typename, identity: String(value), representation }
    }
    return null
  }

  /** What a selection finds in an object; in a subgraph it was sent, elsewhere it is worked out. */
  function projected(thing: Thing, { selections }: SelectionSetNode): unknown {
    const found: Record<string, unknown> = {}
    for (const chosen of selections) {
      if (chosen.kind === Kind.FRAGMENT_SPREAD) continue
      if (chosen.kind === Kind.INLINE_FRAGMENT) {
        const condition = chosen.typeCondition?.name.value
        // A subgraph is sent the fields of the right type, but not which type that is.
        const isSent = thing.representation !== undefined && thing.__typename === ''
        if (isSent || condition === undefined || isOf(thing.__typename, condition))
          Object.assign(found, projected(thing, chosen.selectionSet))
        continue
      }
      const name = chosen.name.value
      if (thing.representation && !(name in thing.representation)) continue
      const value = thing.representation ? thing.representation[name] : valueAt(thing, name, {})
      found[name] = chosen.selectionSet ? projectedIn(value, chosen.selectionSet) : (value ?? null)
    }
    return found
  }

  function projectedIn(value: unknown, selection: SelectionSetNode): unknown {
    if (Array.isArray(value)) return value.map((element) => projectedIn(element, selection))
    if (typeof value !== 'object' || value === null) return null
    // A value is either of the universe or, in a subgraph, part of what was sent.
    if ('identity' in value) return projected(value as Thing, selection)
    const representation = value as Readonly<Record<string, unknown>>
    return projected({ __typename: String(representation.__typename ?? ''), identity: '', representation }, selection)
  }

  function isOf(type: string, condition: string): boolean {
    const [own, wanted] = [api.getType(type), api.getType(condition)]
    return type === condition || (isAbstractType(wanted) && isObjectType(own) && api.isSubType(wanted, own))
  }
}

/**
 * The type of an entity, which its identity begins with. An `@interfaceObject` is told of another
 * one.
 */
const typeIn = (identity: string): string | undefined => /^(\w+):\d$/.exec(identity)?.[1]

/** What both types promise. */
function strictest(one: GraphQLOutputType, other: GraphQLOutputType): GraphQLOutputType {
  if (isNonNullType(one) || isNonNullType(other)) {
    const inner = strictest(getNullableType(one), getNullableType(other))
    return isNonNullType(inner) ? inner : new GraphQLNonNull(inner)
  }
  if (isListType(one) && isListType(other)) return new GraphQLList(strictest(one.ofType, other.ofType))
  return one
}

function leaf(type: string, hash: number): unknown {
  const pick = (values: readonly unknown[]) => values[hash % values.length]
  if (type === 'Int') return pick([0, 1, -1, 7, hash % 1000])
  if (type === 'Float') return pick([0, 0.5, -2.25, hash % 100])
  if (type === 'Boolean') return pick([true, false])
  if (type === 'String') return pick(['', 'text', '__proto__', `s${hash % 1000}`])
  if (type === 'ID') return `id${hash % 1000}`
  return pick([0, '', 'custom', false, [], { a: null, __typename: 'Thing' }, `c${hash % 1000}`])
}

/** The same text for equal arguments. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${key}:${canonical(inner)}`).join()}}`
}

const selectionOf = (text: string): SelectionSetNode => {
  const [definition] = parse(`{ ${text} }`, { noLocation: true }).definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`Expected a selection, got ${text}.`)
  return definition.selectionSet
}

/** The texts of argument `fields` of every directive of a name. */
const argumentsOf = (directives: readonly DirectiveNode[] = [], name: string): readonly string[] =>
  directives
    .filter((directive) => directive.name.value === name)
    .flatMap((directive) => directive.arguments ?? [])
    .flatMap(({ name: argument, value }) => (argument.value === 'fields' && value.kind === Kind.STRING ? [value.value] : []))

function isExternal(typeDefs: DocumentNode, type: string, field: string): boolean {
  return typeDefs.definitions.some(
    (definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION &&
      definition.name.value === type &&
      definition.fields?.some(
        ({ name, directives }) => name.value === field && directives?.some((one) => one.name.value === 'external'),
      ),
  )
}
