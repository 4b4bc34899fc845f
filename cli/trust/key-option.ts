import { OperatorError } from '../../platform/process/operator-error.ts'
import { decodeId } from '../../subgraphs/toolkit/ids.ts'
import type { TrustParts } from '../../subgraphs/trust/context.ts'
import type { ApiKey } from '../../subgraphs/trust/key/key.ts'

/** Option of commands that act for a key. */
export type KeyOption = { readonly key: string }

/** The key in use with the id of the option. Throws when there is none. */
export async function keyOf(id: string, { keys }: Pick<TrustParts, 'keys'>): Promise<ApiKey> {
  const row = decodeId(id, 'ApiKey')
  const key = row === null ? null : await keys.find(row)
  if (!key) throw new OperatorError(`There is no active key with the id "${id}".`)
  return key
}
