import type { GraphQLFormattedError } from 'graphql'

/**
 * Result of an operation (GraphQL §7.1); `data` is absent when it was refused before execution.
 */
export type ExecutionResult = {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly GraphQLFormattedError[]
  readonly extensions?: Readonly<Record<string, unknown>>
}
