import { withStores } from '../../../../subgraphs/store/operator/stores.ts'
import { type StoreStack, type TestStore, withToken } from './store.ts'

/** A store that is filled with the sample, as `atrium store create` sets it up. */
export async function aFilledStore(
  { database, files, sql }: Pick<StoreStack, 'database' | 'files' | 'sql'>,
  country = 'IE',
): Promise<TestStore> {
  const made = await withStores(database.connection, (stores) =>
    stores.create({ name: 'Filled shop', country, isPaid: true, sample: { files, onProgress: () => {} } }),
  )
  const [row] = await sql('SELECT id FROM store WHERE code = $1', [made.code])
  return { ...made, storeId: Number(row?.id), caller: withToken(made.login, made.authtoken) }
}
