import { expect, test } from 'vitest'
import { textOf } from '../../web/frame/html.ts'
import { messageText } from '../../web/room/message-text.ts'

const link = (url: string) => `<a href="${url}" rel="nofollow noopener">${url}</a>`

test.each([
  ['nothing to link\nhere', 'nothing to link\nhere'],
  ['see https://example.org/a?b=1.', `see ${link('https://example.org/a?b=1')}.`],
  ['(http://example.org) and https://example.net/', `(${link('http://example.org')}) and ${link('https://example.net/')}`],
  ['<b>https://example.org</b>', `&lt;b&gt;${link('https://example.org')}&lt;/b&gt;`],
  ['javascript:alert(1) ftp://example.org', 'javascript:alert(1) ftp://example.org'],
  ['https:// and https://…', 'https:// and https://…'],
])('addresses of a message are links, all else is text: %j', (text, markup) => {
  expect(textOf(messageText(text))).toBe(markup)
})

test('a long message takes linear time', () => {
  const took = (length: number): number => {
    const began = performance.now()
    messageText(`https://${'.'.repeat(length)} `.repeat(2))
    messageText('https://.'.repeat(length / 9))
    return performance.now() - began
  }
  took(100_000)
  // A pattern that looks back takes some seconds; this one, a millisecond.
  expect(took(100_000)).toBeLessThan(500)
})
