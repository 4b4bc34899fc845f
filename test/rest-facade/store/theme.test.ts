import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

const UPLOAD = {
  name: 'Quiet',
  settings: [
    { key: 'accent', type: 'color', default: '#112233' },
    { key: 'columns', label: 'Columns', type: 'number', default: 3 },
    { key: 'font', type: 'choice', options: ['serif', 'sans'], default: 'sans' },
  ],
  files: [{ path: 'assets/theme.css', content: 'h1 { color: red }' }],
}
const aTheme = async (as: TestStore, theme: object = {}) =>
  (await stack.ask('POST /themes.json', { as, body: { theme: { ...UPLOAD, ...theme } } })).json.theme

test('a theme is uploaded, previewed, customised, applied, reverted and deleted', async () => {
  const as = await stack.aStore()
  const ask = (on: string, body?: object) => stack.ask(on, { as, ...(body && { body }) })
  const quiet = await aTheme(as)
  expect(quiet).toMatchObject({
    name: 'Quiet',
    label: null,
    published: false,
    settings: [
      { key: 'accent', label: 'accent', type: 'color', options: [], default: '#112233', value: '#112233' },
      { key: 'columns', label: 'Columns', type: 'number', options: [], default: 3, value: 3 },
      { key: 'font', type: 'choice', options: ['serif', 'sans'], value: 'sans' },
    ],
  })
  expect((await ask('GET /themes/published.json')).status).toBe(404)
  expect((await ask(`GET /themes/${quiet.id}/files.json`)).json).toEqual([{ file: UPLOAD.files[0] }])

  const preview = await ask(`POST /themes/${quiet.id}/preview.json`, { theme: { settings: { columns: 4.5 } } })
  expect(preview.json.theme_view).toEqual({
    theme: { id: quiet.id, name: 'Quiet', label: null },
    settings: { accent: '#112233', columns: 4.5, font: 'sans' },
    published_at: null,
  })
  expect((await ask(`POST /themes/${quiet.id}/apply.json`)).json.theme).toMatchObject({
    published: true,
    unpublished_changes: false,
  })
  const customised = await ask(`PUT /themes/${quiet.id}.json`, { theme: { label: '2', settings: { font: 'serif' } } })
  expect(customised.json.theme).toMatchObject({ label: '2', published: true, unpublished_changes: true })
  expect((await ask('GET /themes/published.json')).json.theme_view.settings.font).toBe('sans')
  await ask(`POST /themes/${quiet.id}/apply.json`)
  expect((await ask('GET /themes/published.json')).json.theme_view.settings.font).toBe('serif')

  expect((await ask('POST /themes/revert.json')).json.theme).toMatchObject({ id: quiet.id, unpublished_changes: false })
  const again = await ask('POST /themes/revert.json')
  expect([again.status, Object.keys(again.json)]).toEqual([400, ['message', 'errors']])
  const loud = await aTheme(as, { name: 'Loud' })
  expect((await ask('GET /themes.json')).json.map(({ theme }: { theme: { name: string } }) => theme.name)).toEqual([
    'Quiet',
    'Loud',
  ])
  expect((await ask(`DELETE /themes/${quiet.id}.json`)).status).toBe(400)
  expect((await ask(`DELETE /themes/${loud.id}.json`)).text).toBe('"OK"')
  expect((await ask(`GET /themes/${loud.id}.json`)).status).toBe(404)
})

test.each([
  [{ name: '' }, 'theme.name'],
  [{ files: [{ path: '../../etc/x.css', content: '' }] }, 'theme.files.0.path'],
  [{ files: 'zip' }, 'theme.files'],
  [{ settings: [{ key: 'a', type: 'colour', default: 1 }] }, 'theme.settings.0.type'],
  [{ settings: [{ key: 'a', type: 'number', default: '1' }] }, 'theme.settings.0.default'],
  [{ settings: [{ key: 'a', type: 'number' }] }, 'theme.settings.0.default'],
])('an upload with %j is refused by its field', async (theme, field) => {
  const { status, json } = await stack.ask('POST /themes.json', { body: { theme: { ...UPLOAD, ...theme } } })
  expect([status, Object.keys(json.errors)]).toEqual([400, [field]])
})

test('settings are refused by their keys, and kept from before', async () => {
  const as = await stack.aStore()
  const { id } = await aTheme(as)
  for (const settings of [{ columns: '1' }, { font: 'comic' }, { accent: 7 }]) {
    const body = { theme: { settings } }
    const [key] = Object.keys(settings)
    const changed = await stack.ask(`PUT /themes/${id}.json`, { as, body })
    expect([changed.status, Object.keys(changed.json.errors)]).toEqual([400, [`theme.settings.${key}`]])
    expect((await stack.ask(`POST /themes/${id}/preview.json`, { as, body })).status).toBe(400)
  }
  const stale = { as, body: { theme: { name: 'x' } }, headers: { 'if-match': '"2"' } }
  expect((await stack.ask(`PUT /themes/${id}.json`, stale)).status).toBe(409)
  expect((await stack.ask(`GET /themes/${id}.json`, { as })).json.theme).toMatchObject({
    name: 'Quiet',
    unpublished_changes: true,
  })
})

test('a theme of another store is not found by any operation', async () => {
  const { id } = await aTheme(stack.own)
  const as = await stack.aStore()
  const body = { theme: { settings: {} } }
  const replies = [
    stack.ask(`GET /themes/${id}.json`, { as }),
    stack.ask(`GET /themes/${id}/files.json`, { as }),
    stack.ask(`PUT /themes/${id}.json`, { as, body }),
    stack.ask(`POST /themes/${id}/preview.json`, { as, body }),
    stack.ask(`POST /themes/${id}/apply.json`, { as }),
    stack.ask(`DELETE /themes/${id}.json`, { as }),
  ]
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(replies.map(() => 404))
})
