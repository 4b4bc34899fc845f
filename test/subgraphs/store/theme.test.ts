import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changer } from './support/change.ts'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let shops = 0
beforeAll(async () => {
  // A clock that stands: credentials are judged anew after a second, which is a statement.
  stack = await startStore(() => new Date('2026-11-20T09:00:00Z'))
})
beforeEach(async () => {
  shops += 1
  shop = await stack.aStore({ name: `Shop ${shops}` })
})
afterAll(() => stack.close())

const THEME = `id number name label isPublished hasUnpublishedChanges version settings { key label type options default value } files { path content }`
const change = async (name: string, variables: Record<string, unknown>, who = shop) =>
  changer(stack, { Theme: THEME })(who, name, variables)

const UPLOAD = {
  name: 'Quiet',
  label: '1.0.0',
  settings: [
    { key: 'accent', label: 'Accent colour', type: 'COLOR', default: '#112233' },
    { key: 'columns', type: 'NUMBER', default: 3 },
    { key: 'wide', type: 'BOOLEAN', default: false },
    { key: 'font', type: 'CHOICE', options: ['serif', 'sans'], default: 'sans' },
    { key: 'slogan', type: 'TEXT', default: '' },
    { key: 'banner', type: 'URL', default: '' },
  ],
  files: [
    { path: 'templates/product.liquid', content: '<h1>{{ product.name }}</h1>' },
    { path: 'assets/theme.css', content: 'h1 { color: red }' },
  ],
}
const aTheme = async (input: object = {}, who = shop) => {
  const made = await change('uploadTheme', { input: { ...UPLOAD, ...input } }, who)
  expect(made.__typename).toBe('UploadThemeSuccess')
  return made.theme
}
const apply = async (id: string) => (await change('applyTheme', { id })).theme
const seen = async (who = shop) =>
  (await stack.ask(who, '{ publishedTheme { theme { name } settings files { path } publishedAt } }')).data.publishedTheme

test('an upload is kept as it is, and customers see nothing of it', async () => {
  expect(await aTheme()).toMatchObject({
    name: 'Quiet',
    label: '1.0.0',
    isPublished: false,
    hasUnpublishedChanges: true,
    version: 1,
    settings: [
      { key: 'accent', label: 'Accent colour', options: [], default: '#112233', value: '#112233' },
      { key: 'columns', label: 'columns', default: 3, value: 3 },
      { key: 'wide', default: false, value: false },
      { key: 'font', options: ['serif', 'sans'], value: 'sans' },
      { key: 'slogan', value: '' },
      { key: 'banner', value: '' },
    ],
    files: [{ path: 'assets/theme.css' }, { path: 'templates/product.liquid', content: '<h1>{{ product.name }}</h1>' }],
  })
  expect(await seen()).toBeNull()
})

test('what is customised can be previewed at once, and customers see it once the theme is applied', async () => {
  const { id } = await aTheme()
  expect(await apply(id)).toMatchObject({ isPublished: true, hasUnpublishedChanges: false })
  const settings = { accent: '#abcdef', columns: 4.5, wide: true, font: 'serif', slogan: 'Now!', banner: 'https://example.org/' }
  const { theme } = await change('customizeTheme', { id, input: { settings } })
  expect(theme).toMatchObject({ isPublished: true, hasUnpublishedChanges: true, version: 2 })
  expect((await seen()).settings).toMatchObject({ accent: '#112233', columns: 3 })

  const PREVIEW = `query ($id: ID!, $settings: JSON) { previewTheme(id: $id, settings: $settings) { __typename
    ... on PreviewThemeSuccess { view { settings publishedAt files { path } theme { name } } } ... on ValidationError { errors { field } } } }`
  const preview = async (more: unknown) => (await stack.ask(shop, PREVIEW, { id, settings: more })).data.previewTheme
  expect((await preview(null)).view).toMatchObject({ settings, publishedAt: null, files: [{ path: 'assets/theme.css' }, {}] })
  expect((await preview({ columns: 2, font: null })).view).toMatchObject({ settings: { ...settings, columns: 2, font: 'sans' } })
  expect(await preview({ columns: 'two' })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'settings.columns' }],
  })

  await apply(id)
  expect(await seen()).toMatchObject({ theme: { name: 'Quiet' }, settings, publishedAt: expect.any(String) })
})

test('reverting shows what customers saw before, step by step, with the settings of then', async () => {
  const [quiet, loud] = [await aTheme(), await aTheme({ name: 'Loud' })]
  await apply(quiet.id)
  await change('customizeTheme', { id: quiet.id, input: { settings: { slogan: 'second' } } })
  await apply(quiet.id)
  await apply(loud.id)
  await change('customizeTheme', { id: quiet.id, input: { settings: { slogan: 'third' } } })

  expect(await change('revertTheme', {})).toMatchObject({
    theme: {
      name: 'Quiet',
      isPublished: true,
      hasUnpublishedChanges: false,
      settings: expect.arrayContaining([expect.objectContaining({ key: 'slogan', value: 'second' })]),
    },
  })
  expect((await seen()).settings.slogan).toBe('second')
  await change('revertTheme', {})
  expect((await seen()).settings.slogan).toBe('')
  expect(await change('revertTheme', {})).toMatchObject({ __typename: 'ValidationError' })
  expect((await seen()).settings.slogan).toBe('')
})

test('applying what customers see already is nothing that could be reverted', async () => {
  const { id } = await aTheme()
  await apply(id)
  await change('customizeTheme', { id, input: { settings: { columns: 4 } } })
  await change('customizeTheme', { id, input: { settings: { columns: null } } })
  expect(await apply(id)).toMatchObject({ hasUnpublishedChanges: false })
  expect(await change('revertTheme', {})).toMatchObject({ __typename: 'ValidationError' })
})

test('of a hundred publications fifty can be rolled back', async () => {
  const { id } = await aTheme()
  for (let columns = 1; columns <= 60; columns += 1) {
    await change('customizeTheme', { id, input: { settings: { columns } } })
    await apply(id)
  }
  const [{ count } = {}] = await stack.sql('SELECT count(*)::integer FROM theme_publication WHERE store_id = $1', [shop.storeId])
  expect(count).toBe(51)
})

test('a theme that customers see stays; one that they saw can go, and what was published of it with it', async () => {
  const [quiet, loud] = [await aTheme(), await aTheme({ name: 'Loud' })]
  await apply(quiet.id)
  await apply(loud.id)
  expect(await change('deleteTheme', { id: loud.id })).toMatchObject({ __typename: 'ValidationError' })
  expect(await change('deleteTheme', { id: quiet.id })).toMatchObject({ __typename: 'DeleteThemeSuccess', number: quiet.number })
  expect(await change('revertTheme', {})).toMatchObject({ __typename: 'ValidationError' })
  expect(await seen()).toMatchObject({ theme: { name: 'Loud' } })
})

describe('an upload is refused for', () => {
  const file = (path: string, content = 'x') => ({ files: [{ path, content }] })
  const setting = (input: object) => ({ settings: [{ key: 'k', type: 'TEXT', default: '', ...input }] })
  test.each([
    [{ name: ' ' }, 'name'],
    [{ label: 'x'.repeat(51) }, 'label'],
    [{ files: [] }, 'files'],
    [{ files: Array.from({ length: 201 }, (_, index) => ({ path: `${index}.css`, content: '' })) }, 'files'],
    [file('../up.css'), 'files.0.path'],
    [file('a/../../up.css'), 'files.0.path'],
    [file('/etc/passwd.txt'), 'files.0.path'],
    [file('C:\\x.css'), 'files.0.path'],
    [file('a//b.css'), 'files.0.path'],
    [file('.hidden.css'), 'files.0.path'],
    [file('a/.git/x.css'), 'files.0.path'],
    [file('nul\0.css'), 'files.0.path'],
    [file('run.sh'), 'files.0.path'],
    [file('x.css\n'), 'files.0.path'],
    [file(`${'a/'.repeat(8)}x.css`), 'files.0.path'],
    [file('x.css', 'x'.repeat(100_001)), 'files.0.content'],
    [file('x.css', '\ud800'), 'files.0.content'],
    [{ files: [...file('a.css').files, ...file('A.css').files] }, 'files.1.path'],
    [{ files: [...file('a.css/b.css').files, ...file('a.css').files] }, 'files.1.path'],
    [setting({ key: 'a b' }), 'settings.0.key'],
    [setting({ label: '' }), 'settings.0.label'],
    [setting({ default: 1 }), 'settings.0.default'],
    [setting({ type: 'COLOR', default: 'red' }), 'settings.0.default'],
    [setting({ type: 'NUMBER', default: '1' }), 'settings.0.default'],
    [setting({ type: 'URL', default: 'javascript:alert(1)' }), 'settings.0.default'],
    [setting({ type: 'CHOICE', default: 'a' }), 'settings.0.options'],
    [setting({ type: 'CHOICE', options: ['a', 'a'], default: 'a' }), 'settings.0.options'],
    [setting({ type: 'CHOICE', options: ['a'], default: 'b' }), 'settings.0.default'],
    [setting({ options: ['a'] }), 'settings.0.options'],
    [{ settings: [...setting({}).settings, ...setting({}).settings] }, 'settings.1.key'],
  ])('%#: %j', async (input, field) => {
    const refused = await change('uploadTheme', { input: { ...UPLOAD, ...input } })
    expect(refused).toMatchObject({ __typename: 'ValidationError' })
    expect(refused.errors[0].field).toBe(field)
  })

  test('one theme more than a store may have', async () => {
    for (let index = 0; index < 20; index += 1) await aTheme({ name: `Theme ${index}` })
    expect(await change('uploadTheme', { input: UPLOAD })).toMatchObject({ errors: [{ field: 'name' }] })
  })
})

test.each([
  [{ accent: 'red' }, 'settings.accent'],
  [{ columns: null, wide: 'yes' }, 'settings.wide'],
  [{ font: 'comic' }, 'settings.font'],
  [{ slogan: 'half \ud800' }, 'settings.slogan'],
  [{ slogan: { deep: [] } }, 'settings.slogan'],
  [{ unknown: 1 }, 'settings'],
  [JSON.parse('{"__proto__": 1}'), 'settings'],
  [{ constructor: 'x' }, 'settings'],
  [['accent'], 'settings'],
  ['accent', 'settings'],
])('settings like %j are refused, and nothing of them is kept', async (settings, field) => {
  const { id } = await aTheme()
  expect(await change('customizeTheme', { id, input: { name: 'Other', settings } })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field }],
  })
  expect((await stack.ask(shop, 'query ($id: ID!) { theme(id: $id) { name version } }', { id })).data.theme).toEqual({
    name: 'Quiet',
    version: 1,
  })
})

test('themes are another store’s business', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const { id } = await aTheme()
  await apply(id)
  for (const name of ['customizeTheme', 'applyTheme', 'deleteTheme']) {
    expect(await change(name, { id, input: {} }, other)).toMatchObject({ __typename: 'NotFoundError' })
  }
  expect(await seen(other)).toBeNull()
  const answer = await stack.ask(
    other,
    'query ($id: ID!) { theme(id: $id) { id } themes { id } previewTheme(id: $id) { __typename } }',
    { id },
  )
  expect(answer.data).toEqual({ theme: null, themes: [], previewTheme: { __typename: 'NotFoundError' } })
})

test('of changes at once with one version one wins; applying two at once shows one and remembers the other', async () => {
  const [quiet, loud] = [await aTheme(), await aTheme({ name: 'Loud' })]
  const changes = await Promise.all(
    ['a', 'b'].map((slogan) => change('customizeTheme', { id: quiet.id, input: { settings: { slogan }, expectedVersion: 1 } })),
  )
  expect(changes.map(({ __typename }) => __typename).sort()).toEqual(['ConflictError', 'CustomizeThemeSuccess'])
  await Promise.all([apply(quiet.id), apply(loud.id)])
  const first = (await seen()).theme.name
  await change('revertTheme', {})
  expect([first, (await seen()).theme.name].sort()).toEqual(['Loud', 'Quiet'])
})

test('a list of themes takes the same number of statements whatever its size', async () => {
  const queries = watchStatements()
  const statements = async () => {
    const before = queries.texts().length
    const { data } = await stack.ask(shop, `{ themes { ${THEME} } }`)
    return [data.themes.length, queries.texts().length - before]
  }
  try {
    await aTheme()
    const [, one] = await statements()
    for (let index = 0; index < 4; index += 1) await aTheme()
    expect(await statements()).toEqual([5, one])
  } finally {
    queries.stop()
  }
})
