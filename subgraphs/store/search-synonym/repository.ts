import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { countRows, storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import { textKey } from '../text-key.ts'
import type { SearchSynonym, SynonymKeys } from './search-synonym.ts'

const COLUMNS = ['id', 'terms', 'targets', 'created_at as createdAt', 'updated_at as updatedAt', 'version'] as const

/** Key of an advisory lock: used for nothing else, the same in every process. */
const SYNONYMS_LOCK = 0x73796e6f

export type SearchSynonymRepository = ReturnType<typeof searchSynonymRepository>

/** Synonyms of the search of shops in the database; every call is about one store. */
export const searchSynonymRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'search_synonym', database.selectFrom('search_synonym').select(COLUMNS)),

  /** Number of synonyms of the store. */
  count: (storeId: number): Promise<number> => countRows(database, 'search_synonym', storeId),

  /** Keeps others from adding synonyms to the store until the transaction ends. */
  async lockSynonyms(storeId: number): Promise<void> {
    await sql`SELECT pg_advisory_xact_lock(${SYNONYMS_LOCK}, ${storeId})`.execute(database)
  },

  /** Synonyms with a term among these search keys, oldest first. */
  ofPhrases: (storeId: number, phrases: readonly string[]): Promise<readonly SynonymKeys[]> =>
    OF_PHRASES(database, storeId, phrases),

  async insert(storeId: number, synonym: Written, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('search_synonym')
      .values({ store_id: storeId, ...columnsOf(synonym), created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, id: number, synonym: Written, at: Date): Promise<void> {
    await database
      .updateTable('search_synonym')
      .set((set) => ({ ...columnsOf(synonym), updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },
})

type Written = Pick<SearchSynonym, 'terms' | 'targets'>

const columnsOf = ({ terms, targets }: Written) => ({
  terms: [...terms],
  targets: [...targets],
  term_keys: terms.map(textKey),
  target_keys: targets.map(textKey),
})

const OF_PHRASES = prepared((database: Kysely<Tables>, storeId: number, phrases: readonly string[]) =>
  sql<SynonymKeys>`
    SELECT term_keys AS "termKeys", target_keys AS "targetKeys" FROM search_synonym
    WHERE store_id = ${storeId} AND term_keys && ${phrases}::text[] ORDER BY id`.compile(database),
)
