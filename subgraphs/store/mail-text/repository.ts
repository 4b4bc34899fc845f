import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { MailText, MailTextKind } from './mail-text.ts'

export type MailTextRepository = ReturnType<typeof mailTextRepository>

/** Texts of e-mails that merchants wrote, in the database; every call is about one store. */
export const mailTextRepository = (database: Kysely<Tables>) => ({
  /** All in these languages: at most six in each. */
  all: async (storeId: number, languages: readonly string[]): Promise<readonly MailText[]> =>
    database
      .selectFrom('mail_text')
      .select(['id', 'kind', 'language', 'subject', 'opening'])
      .where('store_id', '=', storeId)
      .where('language', 'in', languages)
      .orderBy('id')
      .execute(),

  /** The texts of one e-mail in a language; null: the merchant wrote none. */
  async find(storeId: number, kind: MailTextKind, language: string): Promise<MailText | null> {
    const found = await database
      .selectFrom('mail_text')
      .select(['id', 'kind', 'language', 'subject', 'opening'])
      .where('store_id', '=', storeId)
      .where('kind', '=', kind)
      .where('language', '=', language)
      .executeTakeFirst()
    return found ?? null
  },

  async set(storeId: number, { kind, language, subject, opening }: Omit<MailText, 'id'>): Promise<void> {
    await database
      .insertInto('mail_text')
      .values({ store_id: storeId, kind, language, subject, opening })
      .onConflict((conflict) => conflict.columns(['store_id', 'kind', 'language']).doUpdateSet({ subject, opening }))
      .execute()
  },

  /** Deletes the oldest texts in other languages than these, when a store has more than `max` of them. */
  async deleteOthers(storeId: number, languages: readonly string[], max: number): Promise<void> {
    const others = database
      .selectFrom('mail_text')
      .select('id')
      .where('store_id', '=', storeId)
      .where('language', 'not in', languages)
      .orderBy('id', 'desc')
      .offset(max)
    await database.deleteFrom('mail_text').where('store_id', '=', storeId).where('id', 'in', others).execute()
  },

  async delete(storeId: number, kind: MailTextKind, language: string): Promise<void> {
    await database
      .deleteFrom('mail_text')
      .where('store_id', '=', storeId)
      .where('kind', '=', kind)
      .where('language', '=', language)
      .execute()
  },
})
