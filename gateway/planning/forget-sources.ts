import type { Schema } from '@apollo/federation-internals'
import type { GraphQLSchema } from 'graphql'

/** An element of a schema of Apollo's library, as far as it refers to the parsed SDL. */
type Element = {
  sourceAST?: unknown
  readonly appliedDirectives?: readonly { sourceAST?: unknown }[]
  readonly extensions?: () => Iterable<{ sourceAST?: unknown }>
}

/**
 * Drops the references of a valid schema to the parsed SDL, which is a fifth of the memory of a
 * large supergraph. Apollo's library keeps them for the locations of errors.
 */
export function forgetSources(schema: Schema): void {
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

function forget(element: Element): void {
  const extensions = typeof element.extensions === 'function' ? element.extensions() : []
  for (const each of [element, ...(element.appliedDirectives ?? []), ...extensions])
    if (each.sourceAST) each.sourceAST = undefined
}

/** The same of a schema of graphql-js, which names them in errors of an invalid schema only. */
export function forgetNodes(schema: GraphQLSchema): GraphQLSchema {
  schema.astNode = undefined
  schema.extensionASTNodes = []
  for (const type of Object.values(schema.getTypeMap())) {
    type.astNode = undefined
    type.extensionASTNodes = []
    for (const field of 'getFields' in type ? Object.values(type.getFields()) : []) {
      field.astNode = undefined
      if ('args' in field) for (const argument of field.args) argument.astNode = undefined
    }
    for (const value of 'getValues' in type ? type.getValues() : []) value.astNode = undefined
  }
  for (const directive of schema.getDirectives()) {
    directive.astNode = undefined
    for (const argument of directive.args) argument.astNode = undefined
  }
  return schema
}
