import { type GraphQLSchema, getNamedType, isInterfaceType, isObjectType } from 'graphql'
import type { AuthorizationRules, Requirement } from '../../platform/graphql/authorization-rules.ts'

/** A type or field that a caller may not read, by its coordinate, with its requirement. */
export type RefusedPart = { readonly coordinate: string; readonly requirement: Requirement; readonly isRoot: boolean }

/** Refused types and fields for these unmet requirements; null: allowed. */
export type RefusalLookup = {
  /** Refusal of all objects of a type. */
  readonly ofType: (type: string) => RefusedPart | null
  /**
   * Refusal of a field, by its own directives, those of its type and, for root fields, those of the
   * root type.
   */
  readonly ofField: (type: string, name: string) => RefusedPart | null
}

/** Creates the lookup; `rootType` is the root type of the operation. */
export function createRefusalLookup(
  schema: GraphQLSchema,
  rules: AuthorizationRules,
  unmet: ReadonlySet<Requirement>,
  rootType: string,
): RefusalLookup {
  return { ofType, ofField }

  function isUnmet(requirement: Requirement | undefined): requirement is Requirement {
    return requirement !== undefined && unmet.has(requirement)
  }

  function ofType(type: string): RefusedPart | null {
    const requirement = rules.ofType.get(type)
    return isUnmet(requirement) ? { coordinate: type, requirement, isRoot: false } : null
  }

  function ofField(type: string, name: string): RefusedPart | null {
    if (name.startsWith('__')) return null
    const parent = schema.getType(type)
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
    if (!field) return null
    const isRoot = type === rootType
    const requirement = [
      isRoot ? rules.ofType.get(type) : undefined,
      rules.ofField.get(`${type}.${name}`),
      rules.ofType.get(getNamedType(field.type).name),
    ].find(isUnmet)
    return requirement ? { coordinate: `${type}.${name}`, requirement, isRoot } : null
  }
}
