import type { GraphQLFormattedError } from 'graphql'

/** The result of an operation; `data` is absent when the operation was refused before execution. */
export type ExecutionResult = {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly GraphQLFormattedError[]
  readonly extensions?: Readonly<Record<string, unknown>>
}
