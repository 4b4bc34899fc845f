import type { Schema } from '@apollo/federation-internals'
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isIntrospectionType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql'
import type { Intern } from './intern-strings.ts'

/** An element of a schema of Apollo's library, as far as it refers to the parsed SDL. */
type Element = {
  sourceAST?: unknown
  readonly appliedDirectives?: readonly AppliedDirective[]
  readonly extensions?: () => Iterable<{ sourceAST?: unknown }>
}

type AppliedDirective = { sourceAST?: unknown; readonly arguments?: () => Arguments }
type Arguments = Readonly<Record<string, unknown>>

/**
 * Creates a function that drops the references of a valid schema to the parsed SDL, which is a fifth
 * of the memory of a large supergraph: Apollo's library keeps them for the locations of errors. Equal
 * arguments of directives become one frozen object of all these schemas; each was a hash table.
 */
export function forgetSources(): (schema: Schema) => void {
  const shared = new Map<string, Arguments>()
  const forget = (element: Element) => forgetSource(element, shared)
  return (schema) => forgetAll(schema, forget)
}

function forgetAll(schema: Schema, forget: (element: Element) => void): void {
  forget(schema.schemaDefinition)
  for (const type of schema.allTypes()) {
    forget(type)
    if ('fields' in type) {
      for (const field of type.fields()) {
        forget(field)
        if ('arguments' in field) for (const argument of field.arguments()) forget(argument)
      }
    }
    if ('values' in type) for (const value of type.values) forget(value)
  }
  for (const directive of schema.allDirectives()) {
    forget(directive)
    for (const argument of directive.arguments()) forget(argument)
  }
}

function forgetSource(element: Element, shared: Map<string, Arguments>): void {
  const extensions = typeof element.extensions === 'function' ? element.extensions() : []
  for (const each of [element, ...(element.appliedDirectives ?? []), ...extensions])
    if (each.sourceAST) each.sourceAST = undefined
  for (const directive of element.appliedDirectives ?? []) shareArguments(directive, shared)
}

function shareArguments(directive: AppliedDirective, shared: Map<string, Arguments>): void {
  const entries = Object.entries(directive.arguments?.() ?? {})
  // Other values might be equal as text only.
  if (!entries.every(([, value]) => typeof value === 'string')) return
  const text = JSON.stringify(entries)
  const known = shared.get(text)
  // Private in Apollo's types; `setArguments` would drop what the schema has cached.
  const held = directive as AppliedDirective & { _args?: Arguments }
  if (known) held._args = known
  else if (held._args) shared.set(text, Object.freeze(held._args))
}

/** Replaces the empty `extensions` of elements: graphql-js gives each a hash table of 200 bytes. */
const NO_EXTENSIONS = Object.freeze(Object.create(null))

/** Properties that hold texts. */
const TEXTS = ['description', 'deprecationReason', 'specifiedByURL'] as const

type SchemaElement = { [name in (typeof TEXTS)[number]]?: string | null | undefined } & {
  defaultValue?: unknown
  extensions: object
}

/**
 * The same of a schema of graphql-js, which names them in errors of an invalid schema only. `intern`
 * copies descriptions and other texts, which are parts of the text.
 */
export function forgetNodes(schema: GraphQLSchema, intern: Intern = (text) => text): GraphQLSchema {
  schema.astNode = undefined
  schema.extensionASTNodes = []
  const compact = (element: SchemaElement): void => {
    for (const name of TEXTS) if (element[name]) element[name] = intern(element[name])
    if (element.defaultValue !== undefined) element.defaultValue = internValue(element.defaultValue, intern)
    if (Object.keys(element.extensions).length === 0) element.extensions = NO_EXTENSIONS
  }
  compact(schema)
  for (const type of Object.values(schema.getTypeMap())) {
    type.astNode = undefined
    type.extensionASTNodes = []
    // The others belong to all schemas of the process.
    if (!isSpecifiedScalarType(type) && !isIntrospectionType(type)) compactType(type, compact)
    for (const field of 'getFields' in type ? Object.values(type.getFields()) : []) {
      field.astNode = undefined
      if ('args' in field) for (const argument of field.args) argument.astNode = undefined
    }
    for (const value of 'getValues' in type ? type.getValues() : []) value.astNode = undefined
  }
  for (const directive of schema.getDirectives()) {
    directive.astNode = undefined
    for (const argument of directive.args) argument.astNode = undefined
    if (!isSpecifiedDirective(directive)) for (const element of [directive, ...directive.args]) compact(element)
  }
  return schema
}

function compactType(type: GraphQLNamedType, compact: (element: SchemaElement) => void): void {
  compact(type)
  for (const field of 'getFields' in type ? Object.values(type.getFields()) : []) {
    compact(field)
    if ('args' in field) for (const argument of field.args) compact(argument)
  }
  for (const value of 'getValues' in type ? type.getValues() : []) compact(value)
}

/** A value of constants of the text, with copies of its texts. */
function internValue(value: unknown, intern: Intern): unknown {
  if (typeof value === 'string') return intern(value)
  if (Array.isArray(value)) return value.map((each) => internValue(each, intern))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== null) return value
  return Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, internValue(each, intern)])),
  )
}
