import { notFound } from '../../platform/graphql/errors.ts'
import { encodeId } from '../toolkit/ids.ts'
import type { DataLoader } from '../toolkit/loader.ts'

/** The row of this type that another row names. Throws NOT_FOUND when it was deleted meanwhile. */
export async function loadReferenced<Row>(type: string, id: string, loader: DataLoader<string, Row | null>): Promise<Row> {
  const row = await loader.load(id)
  if (!row) throw notFound(type.toLowerCase(), encodeId(type, id))
  return row
}
