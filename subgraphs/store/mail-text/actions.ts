import { problem, validationError } from '../../toolkit/validation.ts'
import { storeRepository } from '../store/repository.ts'
import type { UnitOfWork } from '../write.ts'
import { type MailText, type MailTextKind, mailTextProblems } from './mail-text.ts'
import { mailTextRepository } from './repository.ts'

/** Texts in languages that the store has no longer: orders in them are still written about. */
const MAX_FORMER_TEXTS = 120

const success = (kind: MailTextKind, language: string) => ({ __typename: 'MailTextSuccess' as const, kind, language })

/** Replaces a text of e-mails in a language of the store. */
export async function setMailText({ query, storeId }: UnitOfWork, input: Omit<MailText, 'id'>) {
  const { kind, language, subject, opening } = input
  const languages = (await storeRepository(query).languagesOf([storeId])).map(({ code }) => code)
  if (!languages.includes(language))
    return validationError([problem('language', `a language of the store (${languages.join(', ')})`, language)])
  const problems = mailTextProblems(input)
  if (problems.length > 0) return validationError(problems)
  const mailTexts = mailTextRepository(query)
  await mailTexts.set(storeId, { kind, language, subject: subject.trim(), opening: opening.trim() })
  await mailTexts.deleteOthers(storeId, languages, MAX_FORMER_TEXTS)
  return success(kind, language)
}

/** Removes a text of the merchant; without one nothing changes. */
export async function resetMailText({ query, storeId }: UnitOfWork, { kind, language }: Pick<MailText, 'kind' | 'language'>) {
  const languages = (await storeRepository(query).languagesOf([storeId])).map(({ code }) => code)
  if (!languages.includes(language))
    return validationError([problem('language', `a language of the store (${languages.join(', ')})`, language)])
  await mailTextRepository(query).delete(storeId, kind, language)
  return success(kind, language)
}
