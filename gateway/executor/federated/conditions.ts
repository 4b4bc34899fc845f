import { type DocumentNode, Kind, type OperationDefinitionNode, valueFromASTUntyped, visit } from 'graphql'
import type { IsOn } from './projection.ts'

type Variables = Readonly<Record<string, unknown>>

/** The variables that decide what an operation includes, with the client's values or their defaults. */
export type Conditions = {
  /** Their values, as a text that is equal for equal ones. */
  readonly keyOf: (variables: Variables) => string
  readonly valueOf: (name: string, variables: Variables) => unknown
  readonly isOnWith: (variables: Variables) => IsOn
}

/** The names of all variables that `@skip` and `@include` of a document read. */
export function conditionVariables(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>()
  visit(document, {
    Directive({ name, arguments: given }) {
      if (name.value !== 'skip' && name.value !== 'include') return
      for (const { value } of given ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return names
}

/** Compiles what `@skip` and `@include` of an operation depend on. */
export function conditionsOf(document: DocumentNode, operation: OperationDefinitionNode): Conditions {
  const defaults = new Map<string, unknown>()
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue) defaults.set(variable.name.value, valueFromASTUntyped(defaultValue))
  }
  const all = [...conditionVariables(document)]
  const valueIn = (name: string, variables: Variables): unknown =>
    Object.hasOwn(variables, name) && variables[name] !== undefined ? variables[name] : defaults.get(name)

  return {
    valueOf: valueIn,
    keyOf: (variables) => (all.length === 0 ? '' : all.map((name) => (valueIn(name, variables) === true ? '1' : '0')).join('')),
    isOnWith:
      (variables) =>
      ({ directives = [] }) => {
        for (const { name, arguments: given } of directives) {
          if (name.value !== 'skip' && name.value !== 'include') continue
          const value = given?.[0]?.value
          const isTrue =
            value?.kind === Kind.VARIABLE
              ? valueIn(value.name.value, variables) === true
              : value?.kind === Kind.BOOLEAN && value.value
          if (isTrue === (name.value === 'skip')) return false
        }
        return true
      },
  }
}
