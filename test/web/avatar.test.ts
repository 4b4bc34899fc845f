import { expect, test } from 'vitest'
import { avatar } from '../../web/frame/avatar.ts'
import { textOf } from '../../web/frame/html.ts'

const initials = (name: string) => />([^<]*)<\/text>/.exec(textOf(avatar(name)))?.[1]

test.each([
  ['Ann Example', 'AE'],
  ['github', 'G'],
  ['modelcontextprotocol/servers', 'MS'],
  ['Marigold & Daughters', 'MD'],
  ['東京 太郎', '東太'],
  ['ß', 'SS'],
  ['<b>', 'B'],
  ['…', '?'],
  ['', '?'],
])('the picture of "%s" has its initials', (name, expected) => {
  expect(initials(name)).toBe(expected)
})

test('a name has always the same picture, and names have many', () => {
  expect(textOf(avatar('Ann'))).toBe(textOf(avatar('Ann')))
  const names = Array.from({ length: 200 }, (_, index) => `owner-${index}`)
  expect(new Set(names.map((name) => textOf(avatar(name)))).size).toBeGreaterThan(150)
})
