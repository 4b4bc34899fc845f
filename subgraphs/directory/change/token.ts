import { badInput } from '../../../platform/graphql/errors.ts'

/** A place in the history of a directory: a revision, and the last row of it that was seen. */
export type ChangePosition = { readonly revision: string; readonly id: string }

/** Before everything. */
export const START: ChangePosition = { revision: '0', id: '0' }

/**
 * The opaque token of a place; it names its database, because the places of another one mean
 * nothing here.
 */
export const createToken = (dataset: string, { revision, id }: ChangePosition): string =>
  Buffer.from(`${dataset.slice(0, 8)}:${revision}:${id}`).toString('base64url')

/** The position of a token. Throws BAD_USER_INPUT for a token of another database. */
export function parseToken(token: string, dataset: string): ChangePosition {
  const match = /^([0-9a-f]{8}):(\d{1,18}):(\d{1,18})$/.exec(Buffer.from(token, 'base64url').toString())
  const [, prefix, revision, id] = match ?? []
  if (prefix === dataset.slice(0, 8) && revision !== undefined && id !== undefined) return { revision, id }
  throw badInput('since', 'a token from an answer of this directory (leave it out to start again)', token)
}
