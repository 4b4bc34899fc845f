import fc from 'fast-check'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { codeBlock, codeTabs } from '../../web/frame/code.ts'
import { colored } from '../../web/frame/code-colors.ts'
import { html, textOf } from '../../web/frame/html.ts'

const LANGUAGES = ['sh', 'console', 'json', 'ts', 'js', 'py', 'graphql', 'yaml', 'toml', 'ini', 'none', 'constructor', '']
const shown = (text: string, language: string) => textOf(colored(text, language))

test.each([
  ['sh', `curl -d '{"a": 1}' $URL # note`, ['name:curl', 'name:-d', `text:'{"a": 1}'`, 'figure:$URL', 'remark:# note']],
  ['json', '{"a": "b", "c": 12, "d": null}', ['name:"a"', 'text:"b"', 'name:"c"', 'figure:12', 'name:"d"', 'figure:null']],
  ['ts', 'const a = "b" // c', ['name:const', 'text:"b"', 'remark:// c']],
  ['py', "import json # a\nb = 'c'", ['name:import', 'remark:# a', "text:'c'"]],
  ['graphql', 'query Q($a: Int) { b(c: "d") }', ['name:query', 'figure:$a', 'text:"d"']],
  ['yaml', 'a: "b" # c', ['name:a', 'text:"b"', 'remark:# c']],
])('%s has its names, texts, figures and remarks coloured', (language, text, expected) => {
  const { document } = parseHTML(`<html><body>${shown(text, language)}</body></html>`)
  expect([...document.querySelectorAll('span')].map((span) => `${span.className}:${span.textContent}`)).toEqual(expected)
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
  const { document } = parseHTML(`<html><body>${markup}</body></html>`)
  expect(document.querySelector('.code-bar span')?.textContent).toBe('JSON')
  expect(document.getElementById(document.querySelector('button')?.dataset.copy ?? '')?.textContent).toBe('{\n  "b": "<c>"\n}')
})

test('tabs of languages show the first without a script', () => {
  const block = (language: string) => ({ id: `a-${language}`, text: language, language, label: language })
  const { document } = parseHTML(`<html><body>${textOf(codeTabs('a', [block('sh'), block('ts'), block('py')]))}</body></html>`)
  expect([...document.querySelectorAll('label')].map((label) => label.textContent)).toEqual(['Shell', 'TypeScript', 'Python'])
  expect([...document.querySelectorAll('input')].map((input) => input.hasAttribute('checked'))).toEqual([true, false, false])
})
