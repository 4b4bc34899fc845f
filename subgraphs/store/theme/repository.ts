import { type Kysely, sql } from 'kysely'
import { countRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import { MAX_REVERTS, type Publication, type SettingValues, type Theme, type ThemeSetting } from './theme.ts'
import type { ThemeFile } from './upload.ts'

const COLUMNS = [
  'id',
  'name',
  'label',
  'settings',
  'customised',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const
const PUBLICATION = ['id', 'store_id as storeId', 'theme_id as themeId', 'customised', 'published_at as publishedAt'] as const

/** Any number, as long as every process uses the same. */
const THEMES_LOCK = 0x7468656d

export type ThemeRepository = ReturnType<typeof themeRepository>

/** Themes in the database; every call is about one store. */
export const themeRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: async (storeId: number, ids: readonly number[]): Promise<Theme[]> =>
    themes(await database.selectFrom('theme').select(COLUMNS).where('store_id', '=', storeId).where('id', 'in', ids).execute()),

  /** Oldest first. */
  all: async (storeId: number): Promise<Theme[]> =>
    themes(await database.selectFrom('theme').select(COLUMNS).where('store_id', '=', storeId).orderBy('id').execute()),

  /** The files of these themes by path. */
  filesOf: (storeId: number, themeIds: readonly number[]): Promise<(ThemeFile & { readonly themeId: number })[]> =>
    database
      .selectFrom('theme_file')
      .select(['theme_id as themeId', 'path', 'content'])
      .where('store_id', '=', storeId)
      .where('theme_id', 'in', themeIds)
      .orderBy(sql`path COLLATE "C"`)
      .execute(),

  /** What customers see, and saw before that, newest first; at most so many. */
  async publications(storeId: number, max: number): Promise<Publication[]> {
    const found = await database
      .selectFrom('theme_publication')
      .select(PUBLICATION)
      .where('store_id', '=', storeId)
      .orderBy('id', 'desc')
      .limit(max)
      .execute()
    // Written by us.
    return found.map((row) => ({ ...row, customised: row.customised as SettingValues }))
  },

  /** Locks the themes of this store against changes until the transaction ends. */
  async lock(storeId: number): Promise<void> {
    await sql`SELECT pg_advisory_xact_lock(${THEMES_LOCK}, ${storeId})`.execute(database)
  },

  count: (storeId: number): Promise<number> => countRows(database, 'theme', storeId),

  async insert(
    storeId: number,
    theme: Pick<Theme, 'name' | 'label' | 'settings'> & { readonly files: readonly ThemeFile[] },
    at: Date,
  ): Promise<number> {
    const { name, label, files } = theme
    const settings = JSON.stringify(theme.settings)
    const { id } = await database
      .insertInto('theme')
      .values({ store_id: storeId, name, label, settings, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    await database
      .insertInto('theme_file')
      .values(files.map(({ path, content }) => ({ store_id: storeId, theme_id: id, path, content })))
      .execute()
    return id
  },

  async update(storeId: number, { id, name, label, customised }: Theme, at: Date): Promise<void> {
    await database
      .updateTable('theme')
      .set((set) => ({
        name,
        label,
        customised: JSON.stringify(customised),
        updated_at: at,
        version: set('version', '+', 1),
      }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Publishes the theme as it is, and deletes publications beyond the limit of reverts. */
  async publish(storeId: number, { id, customised }: Theme, at: Date): Promise<void> {
    await database
      .insertInto('theme_publication')
      .values({ store_id: storeId, theme_id: id, customised: JSON.stringify(customised), published_at: at })
      .execute()
    await sql`DELETE FROM theme_publication WHERE store_id = ${storeId} AND id < (
      SELECT min(id) FROM (
        SELECT id FROM theme_publication WHERE store_id = ${storeId} ORDER BY id DESC LIMIT ${MAX_REVERTS + 1}
      ) AS kept)`.execute(database)
  },

  async takeBack(storeId: number, { id }: Publication): Promise<void> {
    await database.deleteFrom('theme_publication').where('store_id', '=', storeId).where('id', '=', id).execute()
  },

  /** Deletes the theme with its files and publications. */
  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('theme').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})

/** Rows with the types of what we wrote as JSON. */
const themes = (
  rows: readonly (Omit<Theme, 'settings' | 'customised'> & { readonly settings: unknown; readonly customised: unknown })[],
): Theme[] =>
  rows.map((row) => ({
    ...row,
    // The column holds what this noun writes.
    settings: row.settings as readonly ThemeSetting[],
    customised: row.customised as SettingValues,
  }))
