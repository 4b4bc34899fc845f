import type { Resolvers } from '#generated/store/resolvers.ts'
import { resetMailText, setMailText } from './actions.ts'
import { mailLanguage } from './default-texts.ts'
import { MAIL_TEXT_KINDS, type MailText, type MailTextKind } from './mail-text.ts'

export const mailTextResolvers = {
  Query: {
    mailTexts: async (_, __, { storeId, mailTexts, load }) => {
      const store = await storeId()
      const languages = (await load.languagesOfStore.load(store)).map(({ code }) => code)
      const own = await mailTexts.all(store, languages)
      return MAIL_TEXT_KINDS.flatMap((kind) => languages.map((code) => textOf(own, kind, code)))
    },
  },
  Mutation: {
    setMailText: (_, { input }, { write }) => write('setMailText', input, (unit) => setMailText(unit, input)),
    resetMailText: (_, { input }, { write }) => write('resetMailText', input, (unit) => resetMailText(unit, input)),
  },
  MailTextSuccess: {
    mailText: async ({ kind, language }, _, { storeId, mailTexts }) =>
      textOf(await mailTexts.all(await storeId(), [language]), kind, language),
  },
} satisfies Resolvers

/** The text of an e-mail in a language: that of the merchant, or else ours. */
function textOf(own: readonly MailText[], kind: MailTextKind, language: string) {
  const found = own.find((text) => text.kind === kind && text.language === language)
  const { subject, opening } = found ?? mailLanguage(language).language.texts[kind]
  return { kind, language, subject, opening, isOwn: found !== undefined }
}
