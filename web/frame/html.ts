import { escapeMarkup } from '../../platform/text/escape-markup.ts'

/** Where the text of `Html` is: known to this file only, so that nothing else can make one. */
const TEXT = Symbol('text')

/** Markup that may be sent as it is. Only `html` makes it, and `html` escapes what is put in. */
export type Html = { readonly [TEXT]: string }

/**
 * What can be put into a template: text is escaped, markup is not, nothing is nothing, lists are
 * joined.
 */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

/**
 * Markup from a template: HTML, SVG or XML. Values are escaped for text and for quoted attributes,
 * the only places where they may stand (a test reads the templates). What is an address is checked
 * before it comes here: see `outward`.
 */
export function html(texts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = texts[0] ?? ''
  for (const [index, value] of values.entries()) text += written(value) + (texts[index + 1] ?? '')
  return { [TEXT]: text }
}

/** The markup as text, to be sent. */
export const textOf = (markup: Html): string => markup[TEXT]

/** A value as JSON for programs that read the page; nothing in it can end the element. */
export const jsonScript = (value: unknown): Html => ({
  [TEXT]: `<script type="application/ld+json">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`,
})

function written(value: Content): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string') return escapeMarkup(value)
  if (typeof value === 'number') return String(value)
  if (TEXT in value) return value[TEXT]
  return value.map(written).join('')
}
