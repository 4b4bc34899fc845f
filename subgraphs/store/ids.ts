import { badInput, missing } from '../../platform/graphql/errors.ts'
import { decodeId as decodeOpaqueId, encodeId } from '../toolkit/ids.ts'

/** The largest id there is: ids fit 31 bits, as the REST API promises. */
const MAX_ID = 2_147_483_647

/**
 * The row that an id of this type stands for, given opaque or as the number of the REST API in
 * digits; null when it is neither.
 */
export function decodeId(id: string, type: string): number | null {
  const digits = /^[1-9]\d{0,9}$/.test(id) ? id : decodeOpaqueId(id, type)
  const row = Number(digits ?? 0)
  return row >= 1 && row <= MAX_ID ? row : null
}

/** The fields `id` and `number` of a type whose model has a row id. */
export const identified = (type: string) => ({
  id: ({ id }: { readonly id: number }) => encodeId(type, String(id)),
  number: ({ id }: { readonly id: number }) => id,
})

/** What a mutation answers about a row that is gone. */
export const gone = (type: string) => ({
  id: ({ row }: { readonly row: number }) => encodeId(type, String(row)),
  number: ({ row }: { readonly row: number }) => row,
})

/**
 * The row after which a list continues; "0" is the start. Throws BAD_USER_INPUT for an invalid id.
 */
export function rowBefore(argument: string, id: string, type: string): number {
  const row = id === '0' ? 0 : decodeId(id, type)
  if (row === null) throw badInput(argument, 'an id, or "0" for all', id)
  return row
}

/** The row of a change. Throws NOT_FOUND when it is gone: a repetition can follow a deletion. */
export async function present<Row>(row: Promise<Row | null>, what: string): Promise<Row> {
  const found = await row
  if (found === null) throw missing(`The ${what} that this was about has been deleted since.`)
  return found
}
