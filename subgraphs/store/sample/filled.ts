import type { UnitOfWork } from '../write.ts'

/** A store that is being filled. */
export type FilledStore = {
  /** The change, as if it were made so many days ago. */
  readonly ago: (days: number) => UnitOfWork
  readonly currency: string
  readonly country: string
}

/** What an action did. Throws when it refused: the sample is wrong then. */
export function done<Payload extends { readonly __typename: string }>(
  result: Payload,
): Extract<Payload, { readonly __typename: `${string}Success` }> {
  if (!result.__typename.endsWith('Success')) throw new Error(`Expected the sample to be taken, got ${JSON.stringify(result)}.`)
  // The type name was checked.
  return result as Extract<Payload, { readonly __typename: `${string}Success` }>
}
