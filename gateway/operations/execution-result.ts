import type { GraphQLFormattedError } from 'graphql'

/** What came of an operation; `data` is absent when it was refused before any of it ran. */
export type ExecutionResult = {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly GraphQLFormattedError[]
  readonly extensions?: Readonly<Record<string, unknown>>
}
