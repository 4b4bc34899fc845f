import { badInput } from '../../../platform/graphql/errors.ts'
import type { Revision } from '../item/repository.ts'

/** A place in the history of a directory: a revision, and the last row of it that was seen. */
export type ChangePosition = { readonly revision: string; readonly id: string }

/** The revision that answered with a token, by number and the beginning of its mark. */
export type SeenRevision = { readonly number: string; readonly mark: string }

/** Before everything. */
const START: ChangePosition = { revision: '0', id: '0' }

/** Characters of the ids of a dataset and of a revision that a token has. */
const ID_CHARACTERS = 8

/**
 * The opaque token of a place; it names its database, because the places of another one mean
 * nothing here, and the revision that answered, because a restored database counts anew from the
 * one that it has.
 */
export const createToken = (
  { dataset, number, mark }: Pick<Revision, 'dataset' | 'number' | 'mark'>,
  { revision, id }: ChangePosition,
): string =>
  Buffer.from([dataset.slice(0, ID_CHARACTERS), revision, id, number, mark.slice(0, ID_CHARACTERS)].join(':')).toString(
    'base64url',
  )

/** The place of a token, or the start for null; `seen` is null for a token of versions that did not say it. */
export function parseToken(
  token: string | null | undefined,
  dataset: string,
): ChangePosition & { readonly seen: SeenRevision | null } {
  if (token == null) return { ...START, seen: null }
  const text = Buffer.from(token, 'base64url').toString()
  const match = /^([0-9a-f]{8}):(\d{1,18}):(\d{1,18})(?::(\d{1,18}):([0-9a-f]{8}))?$/.exec(text)
  const [, prefix, revision, id, number, mark] = match ?? []
  if (prefix !== dataset.slice(0, ID_CHARACTERS) || revision === undefined || id === undefined) throw foreignTokenError(token)
  return { revision, id, seen: number === undefined || mark === undefined ? null : { number, mark } }
}

/** The error for a token of another database, or of revisions that this one lost when it was restored. */
export const foreignTokenError = (token: unknown): Error =>
  badInput('since', 'a token from an answer of this directory (leave it out to start again)', token)
