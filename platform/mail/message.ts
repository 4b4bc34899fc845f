import { escapeMarkup } from '../text/escape-markup.ts'

/** A part of a message: the plain text and the HTML are both made from it. */
export type MailBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly url: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly [label: string, value: string])[] }

/** One message to one address. */
export type MailMessage = {
  /** Becomes the Message-ID: attempts to send the same message have the same one. */
  readonly id: string
  readonly to: string
  /** Name that the receiver sees in front of the address that everything is sent from. */
  readonly fromName: string
  /** Address that answers go to; null: the address it is sent from. */
  readonly replyTo: string | null
  readonly subject: string
  /** BCP 47 tag; absent: English. */
  readonly language?: string
  readonly blocks: readonly MailBlock[]
}

/** Characters of a subject and of a name in a header. RFC 5322 §2.1.1 allows lines of 998. */
const MAX_HEADER_CHARACTERS = 200
/** Characters of a text, and blocks and table rows of a message: together at most about 200 kB. */
const MAX_TEXT_CHARACTERS = 5_000
const MAX_BLOCKS = 20
const MAX_TABLE_ROWS = 100

/** Addresses without quoting: what a server or an address list could read as two is refused. */
const ADDRESS = /^[^\s@<>()[\],;:\\"\p{Cc}]{1,64}@[^\s@<>()[\],;:\\"\p{Cc}]{1,190}$/u

/** Whether a message can be sent to this address. */
export const isMailable = (address: string): boolean => ADDRESS.test(address) && address.isWellFormed()

/** One line for a header: control characters and line separators become spaces. */
export const headerText = (text: string): string =>
  cut(
    text
      .toWellFormed()
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
      .trim(),
    MAX_HEADER_CHARACTERS,
  )

/** The plain text of a message. */
export const plainTextOf = (blocks: readonly MailBlock[]): string => `${bounded(blocks).map(plainBlock).join('\n\n')}\n`

/** The HTML of a message, with every value escaped; it loads nothing. Each text has its own direction. */
export const htmlOf = (blocks: readonly MailBlock[], language = 'en'): string =>
  `<!doctype html><html lang="${escapeMarkup(language)}"><head><meta charset="utf-8"></head><body style="font-family:sans-serif;line-height:1.5">${bounded(blocks).map(htmlBlock).join('\n')}</body></html>\n`

function bounded(blocks: readonly MailBlock[]): readonly MailBlock[] {
  return blocks.slice(0, MAX_BLOCKS).map((block) => {
    if (block.kind !== 'table') return { ...block, text: bodyText(block.text) }
    const rows = block.rows.slice(0, MAX_TABLE_ROWS).map(([label, value]) => [headerText(label), headerText(value)] as const)
    const left = block.rows.length - rows.length
    return { kind: 'table', rows: left > 0 ? [...rows, ['…', `${left} more`] as const] : rows }
  })
}

function plainBlock(block: MailBlock): string {
  if (block.kind === 'text') return block.text
  if (block.kind === 'link') return `${block.text}:\n${block.url}`
  return block.rows.map(([label, value]) => `${label}: ${value}`).join('\n')
}

function htmlBlock(block: MailBlock): string {
  if (block.kind === 'text') return `<p dir="auto">${escapeMarkup(block.text).replaceAll('\n', '<br>')}</p>`
  if (block.kind === 'link') return `<p dir="auto"><a href="${escapeMarkup(block.url)}">${escapeMarkup(block.text)}</a></p>`
  const rows = block.rows.map(
    ([label, value]) =>
      `<tr><td dir="auto" style="padding:2px 16px 2px 0">${escapeMarkup(label)}</td><td style="text-align:right">${escapeMarkup(value)}</td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

/** Lines end in one way; other control characters are left out. */
const bodyText = (text: string): string =>
  cut(
    text
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replace(/[^\P{Cc}\n\t]/gu, ''),
    MAX_TEXT_CHARACTERS,
  )

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`)
