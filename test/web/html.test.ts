import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html, jsonScript, textOf } from '../../web/frame/html.ts'
import { externalLink, shortAddress } from '../../web/frame/link.ts'

test('what is put into a template is text, in text and between quotes, however deep', () => {
  const text = `<b>&"'`
  expect(textOf(html`<p title="${text}">${text}</p>`)).toBe('<p title="&lt;b&gt;&amp;&quot;&#39;">&lt;b&gt;&amp;&quot;&#39;</p>')
  expect(textOf(html`<ul>${[html`<li>${text}</li>`, [html`<li>${1}</li>`]]}</ul>`)).toBe(
    '<ul><li>&lt;b&gt;&amp;&quot;&#39;</li><li>1</li></ul>',
  )
  expect(textOf(html`${null}${undefined}${false}${0}${''}`)).toBe('0')
})

test('no text can open an element, end a quote, or hold what XML forbids', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = textOf(html`${text}`)
      expect(written).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
      expect(written).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
      expect(written.isWellFormed()).toBe(true)
    }),
  )
})

test('nothing but a template makes markup: an object that looks like it is no markup', () => {
  // What a JSON body could hold.
  expect(() => textOf(html`${{ text: '<b>' } as never}`)).toThrow()
})

test('data for programs cannot end its element', () => {
  const script = textOf(jsonScript({ name: '</script><script>alert(1)</script>' }))
  expect(script.match(/<\/?script/g)).toEqual(['<script', '</script'])
  expect(JSON.parse(script.replace(/<\/?script[^>]*>/g, ''))).toEqual({ name: '</script><script>alert(1)</script>' })
})

test.each(['javascript:alert(1)', 'data:text/html,<script>', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'no address', ''])(
  '%j is shown, not linked to',
  (url) => {
    expect(textOf(externalLink(url))).not.toContain('href')
  },
)

test('addresses are linked to, and shown without what says nothing', () => {
  expect(textOf(externalLink('https://example.org/?a=1&b="2"', 'here'))).toBe(
    '<a href="https://example.org/?a=1&amp;b=&quot;2&quot;" rel="nofollow noopener">here</a>',
  )
  expect(shortAddress('https://www.example.org/a/')).toBe('example.org/a')
  expect(shortAddress(`https://example.org/${'x'.repeat(100)}`)).toHaveLength(60)
})
