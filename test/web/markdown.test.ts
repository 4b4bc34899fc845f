import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textOf } from '../../web/frame/html.ts'
import { plainText } from '../../web/frame/markdown.ts'
import { description } from '../../web/item/description.ts'
import { userText } from '../../web/post/text.ts'

test.each([
  ['**Fast** `pg` server', 'Fast pg server'],
  ['See [the guide](https://example.org/a) for _more_.', 'See the guide for more.'],
  ['# Title\n\n- one\n- two\n\n```sh\nnpm i\n```', 'Title one two npm i'],
  ['![logo](https://example.org/l.png) of Acme', 'logo of Acme'],
  ['plain words: 3 < 4, a_b_c and *.js', 'plain words: 3 < 4, a_b_c and *.js'],
  ['<b>bold</b> & more', '<b>bold</b> & more'],
  ['', ''],
])('the words of %j are %j', (text, words) => {
  expect(plainText(text)).toBe(words)
})

test('an element 60 levels deep is left out, and its text and the elements around stay', () => {
  const drawn = textOf(description(`${'*a '.repeat(60)}x${' b*'.repeat(60)} **c**`))
  expect(drawn).toBe(`${'<em>a '.repeat(50)}${'a '.repeat(10)}x${' b'.repeat(10)}${' b</em>'.repeat(50)} <strong>c</strong>`)
})

test('a table whose rows are written out has all its cells; one that grows is text', () => {
  const row = '| a | b | c |\n'
  const table = textOf(userText(`${row}|---|---|---|\n${row.repeat(1_000)}`))
  expect(table.match(/<td>/g)).toHaveLength(3_000)
  const grown = textOf(userText(`- ${'|a'.repeat(200)}\n  ${'|-'.repeat(200)}\n${'  a\n'.repeat(300)}\n**after**`))
  expect(grown).not.toContain('<td>')
  expect(grown).toContain('<strong>after</strong>')
})

test('a description has its code, emphasis and links, and nothing that can run', () => {
  expect(textOf(description('**Fast** `pg` [docs](https://example.org/)'))).toBe(
    '<strong>Fast</strong> <code>pg</code> <a href="https://example.org/" rel="nofollow noopener">docs</a>',
  )
  for (const text of ['[a](javascript:alert(1))', '<script>x</script>', '![a](x" onerror="y)', '[a](data:text/html,x)'])
    expect(textOf(description(text))).not.toMatch(/<(?!\/?(?:a|code|em|strong)\b)|href="(?!https?:)| on\w+="/)
})

test('no text becomes an element that Markdown does not have, or an attribute of its own', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '"',
      "'",
      '`',
      '*',
      '_',
      'javascript:',
      'https://a.b/',
      'onload=',
      '!',
      '&',
      '\\',
      ' ',
      '\n',
      'a',
    ),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      const drawn = textOf(description(parts.join('')))
      expect(
        drawn.replaceAll(/<\/?(?:strong|em|code|a|s|br)>|<a href="https?:[^"<>]*" rel="nofollow noopener">/g, ''),
      ).not.toMatch(/[<>"]/)
    }),
  )
})
