import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { Tables } from '../tables.ts'
import type { DigitalAsset } from './digital-asset.ts'

const COLUMNS = [
  'digital_asset.id',
  'digital_asset.product_id as productId',
  'digital_asset.expiration_seconds as expirationSeconds',
  'digital_asset.external_url as externalUrl',
  'digital_asset.file_id as fileId',
  'file.key',
  'file.filename',
  'file.content_type as contentType',
  sql<number | null>`file.byte_count::integer`.as('byteCount'),
] as const

export type DigitalAssetRepository = ReturnType<typeof digitalAssetRepository>

/** Digital assets of products in the database; every call is about one store. */
export const digitalAssetRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<DigitalAsset[]> =>
    assetsIn(database, storeId).where('digital_asset.id', '=', anyOf(ids)).execute(),

  /** Of several products, oldest first. */
  ofProducts: (storeId: number, productIds: readonly number[]): Promise<DigitalAsset[]> =>
    OF_PRODUCTS(database, storeId, productIds),

  async count(storeId: number, productId: number): Promise<number> {
    const { count } = await database
      .selectFrom('digital_asset')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .where('product_id', '=', productId)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  async insert(
    storeId: number,
    asset: Pick<DigitalAsset, 'productId' | 'fileId' | 'externalUrl' | 'expirationSeconds'>,
  ): Promise<number> {
    const { id } = await database
      .insertInto('digital_asset')
      .values({
        store_id: storeId,
        product_id: asset.productId,
        file_id: asset.fileId,
        external_url: asset.externalUrl,
        expiration_seconds: asset.expirationSeconds,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async delete(storeId: number, { id }: DigitalAsset): Promise<void> {
    await database.deleteFrom('digital_asset').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})

const assetsIn = (database: Kysely<Tables>, storeId: number) =>
  database
    .selectFrom('digital_asset')
    .leftJoin('file', (join) =>
      join.onRef('file.store_id', '=', 'digital_asset.store_id').onRef('file.id', '=', 'digital_asset.file_id'),
    )
    .select(COLUMNS)
    .where('digital_asset.store_id', '=', storeId)

const OF_PRODUCTS = prepared((database: Kysely<Tables>, storeId: number, productIds: readonly number[]) =>
  assetsIn(database, storeId).where('digital_asset.product_id', '=', anyOf(productIds)).orderBy('digital_asset.id').compile(),
)
