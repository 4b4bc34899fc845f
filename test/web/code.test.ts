import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeBlock, codeTabs } from '../../web/frame/code.ts'
import { colored } from '../../web/frame/code-colors.ts'
import { html, textOf } from '../../web/frame/html.ts'

const LANGUAGES = ['sh', 'console', 'json', 'ts', 'js', 'py', 'graphql', 'yaml', 'toml', 'ini', 'none', 'constructor', '']
const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
const shown = (text: string, language: string) => textOf(colored(text, language))

test.each([
  ['sh', `curl -d '{"a": 1}' $URL # note`, ['name:curl', 'name:-d', `text:'{"a": 1}'`, 'figure:$URL', 'remark:# note']],
  ['json', '{"a": "b", "c": 12, "d": null}', ['name:"a"', 'text:"b"', 'name:"c"', 'figure:12', 'name:"d"', 'figure:null']],
  ['ts', 'const a = "b" // c', ['name:const', 'text:"b"', 'remark:// c']],
  ['py', "import json # a\nb = 'c'", ['name:import', 'remark:# a', "text:'c'"]],
  ['graphql', 'query Q($a: Int) { b(c: "d") }', ['name:query', 'figure:$a', 'text:"d"']],
  ['yaml', 'a: "b" # c', ['name:a', 'text:"b"', 'remark:# c']],
])('%s has its names, texts, figures and remarks coloured', (language, text, expected) => {
  const spans = [...shown(text, language).matchAll(/<span class="(\w+)">(.*?)<\/span>/g)]
  expect(spans.map(([, kind, content = '']) => `${kind}:${unescaped(content)}`)).toEqual(expected)
})

test('colours change no character of any text, and none of it becomes markup', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LANGUAGES),
      fc.array(
        fc.oneof(
          fc.string(),
          fc.constantFrom('"', "'", '`', '\\', '#', '//', '<b>', '&amp;', '\n', 'curl ', '{', ': ', '$a', '12', 'query '),
        ),
      ),
      (language, parts) => {
        const text = parts.join('')
        expect(shown(text, language).replaceAll(/<span class="(?:remark|name|text|figure)">|<\/span>/g, '')).toBe(
          textOf(html`${text}`),
        )
      },
    ),
  )
})

test('code of several lines names its language, and its button copies the same text', () => {
  const markup = textOf(codeBlock({ id: 'a', text: '{\n  "b": "<c>"\n}', language: 'json', label: 'Example' }))
  expect(markup).toContain('<div class="code-bar"><span>JSON</span>')
  expect(markup).toContain('data-copy="a"')
  const code = /<code id="a">(.*?)<\/code>/s.exec(markup)?.[1] ?? ''
  expect(unescaped(code.replaceAll(/<[^>]+>/g, ''))).toBe('{\n  "b": "<c>"\n}')
})

test('tabs of languages show the first without a script', () => {
  const block = (language: string) => ({ id: `a-${language}`, text: language, language, label: language })
  const markup = textOf(codeTabs('a', [block('sh'), block('ts'), block('py')]))
  expect([...markup.matchAll(/<label[^>]*>(.*?)<\/label>/g)].map(([, label]) => label)).toEqual(['Shell', 'TypeScript', 'Python'])
  expect([...markup.matchAll(/<input [^>]*>/g)].map(([input]) => input.includes('checked'))).toEqual([true, false, false])
})
