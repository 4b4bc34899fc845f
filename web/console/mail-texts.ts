import {
  ConsoleMailTextsDocument,
  type ConsoleMailTextsQuery,
  ConsoleResetMailTextDocument,
  ConsoleSetMailTextDocument,
  type MailTextKind,
} from '#generated/operations.ts'
import { lookupTable, ownValue } from '../../platform/collections/lookup-table.ts'
import { toChanged } from '../frame/change.ts'
import { chip } from '../frame/chip.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { consoleChange } from './change.ts'
import { textArea, textInput } from './fields.ts'
import type { FormState } from './form-state.ts'
import type { ListLabels } from './list.ts'
import { consolePage } from './page.ts'
import { readForm } from './read-form.ts'

const MAIL_TEXTS = '/console/mail-texts'

const KINDS: ListLabels<MailTextKind> = lookupTable({
  confirmation: ['ORDER_CONFIRMATION', 'Order was placed'],
  requested: ['RETURN_REQUESTED', 'Return was requested'],
  approved: ['RETURN_APPROVED', 'Return was approved'],
  declined: ['RETURN_DECLINED', 'Return was declined'],
  refunded: ['RETURN_REFUNDED', 'Return was refunded'],
  exchanged: ['RETURN_EXCHANGED', 'Return was exchanged'],
})

type Text = ConsoleMailTextsQuery['mailTexts'][number]

const pathOf = (word: string, language: string): string => `${MAIL_TEXTS}/${word}/${encodeURIComponent(language)}`

export const mailTexts = consolePage({
  path: MAIL_TEXTS,
  label: 'E-mails',
  needs: ['read_store', 'read_settings'],
  operations: [ConsoleMailTextsDocument],
  notices: {
    saved: 'The text was saved. E-mails from now on have it.',
    reset: 'E-mails have the text of Atrium again.',
  },
  async body({ run, site, visit, form: formAt }) {
    const { store, mailTexts: found } = dataOf(await run(ConsoleMailTextsDocument, {}))
    const textForm = (word: string, text: Text, languageName: string): Html => {
      const path = pathOf(word, text.language)
      const form = formAt(path)
      return html`<div class="part"><details${form.wasRefused && html` open`}><summary>${languageName} ${text.isOwn && chip('changed', 'good')}</summary>
${changeForm(path, visit, site, html`${textFields(form, text)}<p><button class="secondary">Save</button></p>`)}
${text.isOwn && changeForm(`${path}/reset`, visit, site, html`<p><button class="plain">Use the text of Atrium again</button></p>`)}</details></div>`
    }
    return html`<p class="trail"><a href="${site.at('/console/settings')}">Settings</a></p>
<h1>E-mails to shoppers</h1>
<p class="lead">Each is in the language of its order. You can change its subject and first paragraph; <code>{order}</code>, <code>{shop}</code> and, of returns, <code>{return}</code> stand for the number of the order, the name of the store and the number of the return.</p>
${Object.entries(KINDS).map(
  ([word, [kind, label]]) => html`<section aria-labelledby="mail-${word}"><h2 id="mail-${word}">${label}</h2>
${found
  .filter((text) => text.kind === kind)
  .map((text) =>
    textForm(word, text, store.languages.find(({ code }) => code === text.language)?.name ?? text.language),
  )}</section>`,
)}`
  },
})

const textFields = (form: FormState, { subject, opening, language }: Text): Html =>
  html`<div lang="${language}">${textInput(form, { name: 'subject', label: 'Subject', stored: subject, maxLength: 150, isRequired: true })}
${textArea(form, { name: 'opening', label: 'First paragraph', stored: opening, rows: 3, maxLength: 1_000, isRequired: true })}</div>`

export const mailTextChanges = [
  consoleChange({
    path: `${MAIL_TEXTS}/{kind}/{language}`,
    on: mailTexts,
    operations: [ConsoleSetMailTextDocument],
    async make({ path: { kind: word, language }, field, run }) {
      const kind = ownValue(KINDS, word)?.[0]
      if (kind === undefined) return { kind: 'gone' }
      const form = readForm(field)
      const input = { kind, language, subject: form.text('subject'), opening: form.lines('opening') ?? '' }
      const { result } = dataOf(await run(ConsoleSetMailTextDocument, { input }))
      return toChanged(result, { at: MAIL_TEXTS, notice: 'saved' })
    },
  }),
  consoleChange({
    path: `${MAIL_TEXTS}/{kind}/{language}/reset`,
    on: mailTexts,
    operations: [ConsoleResetMailTextDocument],
    async make({ path: { kind: word, language }, run }) {
      const kind = ownValue(KINDS, word)?.[0]
      if (kind === undefined) return { kind: 'gone' }
      const { result } = dataOf(await run(ConsoleResetMailTextDocument, { input: { kind, language } }))
      return toChanged(result, { at: MAIL_TEXTS, notice: 'reset' })
    },
  }),
]
