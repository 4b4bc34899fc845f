import { type GraphQLSchema, isInterfaceType, isIntrospectionType, isObjectType } from 'graphql'
import type { AuthorizationRules, Requirement } from '../../platform/graphql/authorization-rules.ts'
import { inWords } from './directive-names.ts'

/**
 * Adds to the description of every guarded type and field what its directives demand: introspection has no other place for it, so
 * explorers, the schema pages and agents read it there. Changes `schema` and returns it.
 */
export function describeRequirements(schema: GraphQLSchema, { ofType, ofField }: AuthorizationRules): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type)) continue
    type.description = described(type.description, ofType.get(type.name))
    if (!isObjectType(type) && !isInterfaceType(type)) continue
    for (const field of Object.values(type.getFields())) {
      field.description = described(field.description, ofField.get(`${type.name}.${field.name}`))
    }
  }
  return schema
}

function described(description: string | null | undefined, requirement: Requirement | undefined): string | null | undefined {
  if (!requirement) return description
  const { isAuthenticated, scopes, policies } = requirement
  const needs = [
    ...(isAuthenticated ? ['a signed-in caller'] : []),
    ...(scopes ? [inWords('scope', scopes, '`')] : []),
    ...(policies ? [inWords('policy', policies, '`')] : []),
  ]
  return [...(description ? [description] : []), `Requires ${needs.join(', and ')}.`].join('\n\n')
}
