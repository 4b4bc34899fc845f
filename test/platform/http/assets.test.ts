import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assetsOf } from '../../../platform/http/assets.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assets-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

test('a stylesheet names fonts as they are published, which are sent byte for byte and kept for a year', async () => {
  const bytes = Buffer.from([0x77, 0x4f, 0x46, 0x32, 0xff, 0x00, 0xc3, 0x28])
  const assets = assetsOf('/assets', [file('a.woff2', bytes), file('a.css', '@font-face { src: url("./a.woff2") }')])
  const app = Fastify()
  await assets.serve(app)
  const font = await app.inject(assets.pathOf('a.woff2'))
  expect(font.rawPayload).toEqual(bytes)
  expect(font.headers).toMatchObject({ 'content-type': 'font/woff2', 'cache-control': 'public, max-age=31536000, immutable' })
  const style = await app.inject(assets.pathOf('a.css'))
  expect(style.body).toBe(`@font-face { src: url("./${assets.pathOf('a.woff2').slice('/assets/'.length)}") }`)
})

test('a stylesheet has another name when a font that it names has other bytes', () => {
  const style = file('b.css', '@font-face { src: url("./b.woff2") }')
  const pathWith = (content: string) => assetsOf('/assets', [file('b.woff2', content), style]).pathOf('b.css')
  expect(pathWith('one')).not.toBe(pathWith('other'))
})

test('a stylesheet that names a file which is not published is refused', () => {
  expect(() => assetsOf('/assets', [file('c.css', '@font-face { src: url("./c.woff2") }')])).toThrow('got "c.woff2"')
})

test('a stylesheet is sent without its comments and indentation, but with licences and what stands in a line', async () => {
  const source = `/*! Licence */
/* Of all pages:
   it's long. */
a {
  /* red */
  color: red; /* here */

  content: "/* text */";
}
`
  const assets = assetsOf('/assets', [file('d.css', source)])
  const app = Fastify()
  await assets.serve(app)
  expect((await app.inject(assets.pathOf('d.css'))).body).toBe(
    '/*! Licence */\na {\ncolor: red; /* here */\ncontent: "/* text */";\n}\n',
  )
})
