import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { MailText, MailTextKind } from './mail-text.ts'

export type MailTextRepository = ReturnType<typeof mailTextRepository>

/** Texts of e-mails that merchants wrote, in the database; every call is about one store. */
export const mailTextRepository = (database: Kysely<Tables>) => ({
  /** All of them: at most six in each language of the store. */
  all: (storeId: number): Promise<readonly MailText[]> =>
    database
      .selectFrom('mail_text')
      .select(['id', 'kind', 'language', 'subject', 'opening'])
      .where('store_id', '=', storeId)
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

  async delete(storeId: number, kind: MailTextKind, language: string): Promise<void> {
    await database
      .deleteFrom('mail_text')
      .where('store_id', '=', storeId)
      .where('kind', '=', kind)
      .where('language', '=', language)
      .execute()
  },
})
