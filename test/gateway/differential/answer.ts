import type { GraphQLFormattedError } from 'graphql'

/** What a gateway said, as a client sees it. */
export type Answer = { readonly data?: unknown; readonly errors?: readonly GraphQLFormattedError[] }
