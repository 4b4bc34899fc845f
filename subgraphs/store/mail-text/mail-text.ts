import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

/** E-mails whose texts a merchant can replace. */
export type MailTextKind =
  | 'ORDER_CONFIRMATION'
  | 'RETURN_REQUESTED'
  | 'RETURN_APPROVED'
  | 'RETURN_DECLINED'
  | 'RETURN_REFUNDED'
  | 'RETURN_EXCHANGED'

/** Subject and first paragraph of an e-mail in a language, as a merchant wrote them. */
export type MailText = {
  readonly id: number
  readonly kind: MailTextKind
  /** BCP 47 tag of a language of the store. */
  readonly language: string
  readonly subject: string
  readonly opening: string
}

/** In the order of the console. */
export const MAIL_TEXT_KINDS: readonly MailTextKind[] = [
  'ORDER_CONFIRMATION',
  'RETURN_REQUESTED',
  'RETURN_APPROVED',
  'RETURN_DECLINED',
  'RETURN_REFUNDED',
  'RETURN_EXCHANGED',
]

const MAX_SUBJECT_LENGTH = 150
const MAX_OPENING_LENGTH = 1_000

const placeholdersOf = (kind: MailTextKind): readonly string[] =>
  kind === 'ORDER_CONFIRMATION' ? ['order', 'shop'] : ['order', 'shop', 'return']

/** Invalid fields of texts, in their order. */
export const mailTextProblems = ({
  kind,
  subject,
  opening,
}: Pick<MailText, 'kind' | 'subject' | 'opening'>): readonly Problem[] =>
  problemsIn([
    textProblem('subject', subject, MAX_SUBJECT_LENGTH),
    // A subject is one line of a header.
    /[\r\n]/.test(subject) ? problem('subject', 'one line', subject) : null,
    placeholderProblem('subject', subject, kind),
    textProblem('opening', opening, MAX_OPENING_LENGTH),
    placeholderProblem('opening', opening, kind),
  ])

/** A misspelt placeholder would reach the shopper. */
function placeholderProblem(field: string, text: string, kind: MailTextKind): Problem | null {
  const known = placeholdersOf(kind)
  const wrong = [...text.matchAll(/\{(\w*)\}/g)].find(([, name = '']) => !known.includes(name))
  return wrong ? problem(field, `with no other placeholders than ${known.map((name) => `{${name}}`).join(', ')}`, wrong[0]) : null
}

/** A text with its placeholders replaced, once: values are not searched for others. */
export const filledText = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? whole) : whole))
