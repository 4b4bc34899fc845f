import { type DocumentNode, Kind, type OperationDefinitionNode, valueFromASTUntyped, visit } from 'graphql'
import type { IsIncluded } from './runtime-type.ts'

type Variables = Readonly<Record<string, unknown>>

/** The `@skip` and `@include` conditions of an operation, read with client values or defaults. */
export type OperationConditions = {
  /** Cache key of the values of all condition variables. */
  readonly keyOf: (variables: Variables) => string
  readonly valueOf: (name: string, variables: Variables) => unknown
  readonly isIncludedWith: (variables: Variables) => IsIncluded
}

/** Names of the variables in these directives of a document. */
export function conditionVariables(
  document: DocumentNode,
  directives: readonly string[] = ['skip', 'include'],
): ReadonlySet<string> {
  const names = new Set<string>()
  visit(document, {
    Directive({ name, arguments: nodes }) {
      if (!directives.includes(name.value)) return
      for (const { value } of nodes ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return names
}

/** Compiles the `@skip` and `@include` conditions of an operation. */
export function compileConditions(document: DocumentNode, operation: OperationDefinitionNode): OperationConditions {
  const defaults = new Map<string, unknown>()
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue) defaults.set(variable.name.value, valueFromASTUntyped(defaultValue))
  }
  const names = [...conditionVariables(document)]
  const valueIn = (name: string, variables: Variables): unknown =>
    Object.hasOwn(variables, name) && variables[name] !== undefined ? variables[name] : defaults.get(name)

  return {
    valueOf: valueIn,
    keyOf: (variables) =>
      names.length === 0 ? '' : names.map((name) => (valueIn(name, variables) === true ? '1' : '0')).join(''),
    isIncludedWith:
      (variables) =>
      ({ directives = [] }) => {
        for (const { name, arguments: nodes } of directives) {
          if (name.value !== 'skip' && name.value !== 'include') continue
          const value = nodes?.[0]?.value
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
