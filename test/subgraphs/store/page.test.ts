import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changer } from './support/change.ts'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  // A clock that stands: credentials are judged anew after a second, which is a statement.
  stack = await startStore(() => new Date('2026-11-20T09:00:00Z'))
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const change = async (name: string, variables: Record<string, unknown>, who = shop) =>
  changer(stack, {
    Page: `id number title body status legal pageTitle metaDescription permalink version template { name }
      categories { position category { name } }`,
    PageCategory: 'id number name version pages { title }',
    PageTemplate: 'id number name version',
  })(who, name, variables)

const aPage = async (input: object = {}, who = shop) => {
  const made = await change('createPage', { input: { title: 'A page', ...input } }, who)
  expect(made.__typename).toBe('CreatePageSuccess')
  return made.page
}
const aCategory = async (name: string, who = shop) => (await change('createPageCategory', { input: { name } }, who)).pageCategory
const aTemplate = async (name: string, who = shop) => (await change('createPageTemplate', { input: { name } }, who)).pageTemplate

describe('a page', () => {
  test('is public with a title and a permalink made from it, by default', async () => {
    expect(await aPage({ title: 'Über uns' })).toMatchObject({
      body: null,
      status: 'PUBLIC',
      legal: false,
      pageTitle: null,
      metaDescription: null,
      permalink: 'uber-uns',
      version: 1,
      template: null,
      categories: [],
    })
    expect(await aPage({ title: 'Uber uns' })).toMatchObject({ permalink: 'uber-uns-1' })
  })

  test('keeps its HTML exactly as it was written', async () => {
    const body =
      '<p onclick="order()">Ünïcode &amp; <script>const a = "</p>"</script>\r\n\t<iframe src="https://maps.example"></iframe>'
    const { id } = await aPage({ body })
    const { data } = await stack.ask(shop, 'query ($id: ID!) { page(id: $id) { body } }', { id })
    expect(data.page.body).toBe(body)
  })

  test('takes its template by name, or by id where none has that name', async () => {
    const wide = await aTemplate('Wide')
    expect(await aPage({ template: 'Wide' })).toMatchObject({ template: { name: 'Wide' } })
    expect(await aPage({ template: wide.id })).toMatchObject({ template: { name: 'Wide' } })
    expect(await aPage({ template: String(wide.number) })).toMatchObject({ template: { name: 'Wide' } })
    await aTemplate(String(wide.number))
    expect(await aPage({ template: String(wide.number) })).toMatchObject({ template: { name: String(wide.number) } })
    const missing = await change('createPage', { input: { title: 'x', template: 'No such' } })
    expect(missing).toMatchObject({ __typename: 'NotFoundError', message: 'There is no page template with the id "No such".' })
  })

  test('is the last of the categories that it is added to, and keeps its position in the others', async () => {
    const [menu, footer] = [await aCategory('Menu'), await aCategory('Footer')]
    await aPage({ title: 'First', categoryIds: [menu.id] })
    const second = await aPage({ title: 'Second', categoryIds: [String(menu.number), menu.id] })
    expect(second.categories).toEqual([{ position: 2, category: { name: 'Menu' } }])
    await aPage({ title: 'Third', categoryIds: [menu.id] })
    const { page } = await change('updatePage', { id: second.id, input: { categoryIds: [footer.id, menu.id] } })
    expect(page.categories).toEqual([
      { position: 1, category: { name: 'Footer' } },
      { position: 2, category: { name: 'Menu' } },
    ])
    const cleared = await change('updatePage', { id: second.id, input: { categoryIds: null } })
    expect(cleared.page.categories).toEqual([])
    const missing = await change('updatePage', { id: second.id, input: { title: 'Half', categoryIds: [menu.id, '999999999'] } })
    expect(missing).toMatchObject({ __typename: 'NotFoundError' })
    const { data } = await stack.ask(shop, 'query ($id: ID!) { page(id: $id) { title categories { position } } }', {
      id: second.id,
    })
    expect(data.page).toEqual({ title: 'Second', categories: [] })
  })

  test('keeps fields that a change omits, and clears those set to null', async () => {
    const { id } = await aPage({ title: 'Kept', body: '<p>b</p>', pageTitle: 't', metaDescription: 'd', status: 'HIDDEN' })
    const renamed = await change('updatePage', { id, input: { title: 'Renamed' } })
    expect(renamed.page).toMatchObject({
      body: '<p>b</p>',
      pageTitle: 't',
      metaDescription: 'd',
      status: 'HIDDEN',
      permalink: 'kept',
      version: 2,
    })
    const cleared = await change('updatePage', {
      id,
      input: { body: null, pageTitle: null, metaDescription: null, permalink: null },
    })
    expect(cleared.page).toMatchObject({ body: null, pageTitle: null, metaDescription: null, permalink: 'renamed', version: 3 })
  })

  test('that law demands stays, and can be hidden', async () => {
    const { id } = await aPage({ title: 'Terms of sale', legal: true })
    expect(await change('deletePage', { id })).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'id' }] })
    expect((await change('updatePage', { id, input: { status: 'HIDDEN' } })).page).toMatchObject({
      legal: true,
      status: 'HIDDEN',
    })
    const other = await aPage({ title: 'Not legal' })
    expect(await change('deletePage', { id: other.id })).toEqual({
      __typename: 'DeletePageSuccess',
      id: other.id,
      number: other.number,
    })
  })

  test('is another store’s business: neither seen nor changed nor put anywhere by it', async () => {
    const other = await stack.aStore({ name: 'Another shop' })
    const { id } = await aPage({ title: 'Only mine' })
    const [category, template] = [await aCategory('Mine only'), await aTemplate('Mine only')]
    expect((await stack.ask(other, 'query ($id: ID!) { page(id: $id) { title } }', { id })).data).toEqual({ page: null })
    expect(await change('updatePage', { id, input: { title: 'Theirs' } }, other)).toMatchObject({ __typename: 'NotFoundError' })
    expect(await change('deletePage', { id }, other)).toMatchObject({ __typename: 'NotFoundError' })
    for (const input of [{ categoryIds: [category.id] }, { template: template.id }, { template: 'Mine only' }]) {
      expect(await change('createPage', { input: { title: 'x', ...input } }, other)).toMatchObject({
        __typename: 'NotFoundError',
      })
    }
    const theirs = await aCategory('Theirs', other)
    expect(await change('updatePageCategory', { id: theirs.id, input: { pageIds: [id] } }, other)).toMatchObject({
      __typename: 'NotFoundError',
    })
  })

  test.each([
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ title: 'nul \0' }, 'title'],
    [{ title: 'x', body: 'x'.repeat(100_001) }, 'body'],
    [{ title: 'x', body: 'half \udc00' }, 'body'],
    [{ title: 'x', status: null }, 'status'],
    [{ title: 'x', pageTitle: '' }, 'pageTitle'],
    [{ title: 'x', metaDescription: 'x'.repeat(501) }, 'metaDescription'],
    [{ title: 'x', permalink: '\0' }, 'permalink'],
    [{ title: 'x', template: '\0' }, 'template'],
    [{ title: 'x', categoryIds: Array.from({ length: 101 }, (_, index) => String(index + 1)) }, 'categoryIds'],
  ])('%j is refused by its field', async (input, field) => {
    expect(await change('createPage', { input })).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
  })

  test('of two changes of one version one wins', async () => {
    const { id } = await aPage({ title: 'Contended' })
    const results = await Promise.all(
      ['a', 'b'].map((title) => change('updatePage', { id, input: { title, expectedVersion: 1 } })),
    )
    expect(results.map(({ __typename }) => __typename).sort()).toEqual(['ConflictError', 'UpdatePageSuccess'])
    expect(await change('deletePage', { id, expectedVersion: 1 })).toMatchObject({ currentVersion: 2 })
  })

  test('20 creations at once with one title have 20 addresses', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => aPage({ title: 'At once' })))
    expect(new Set(made.map(({ permalink }) => permalink)).size).toBe(20)
  })
})

describe('lists of pages', () => {
  let lister: TestStore
  beforeAll(async () => {
    lister = await stack.aStore({ name: 'Lister' })
    const news = await aCategory('News', lister)
    for (const title of ['a', 'b', 'c', 'd', 'e'])
      await aPage(
        { title, status: title < 'c' ? 'DRAFT' : 'PUBLIC', categoryIds: 'ace'.includes(title) ? [news.id] : [] },
        lister,
      )
  })
  const LIST = `query ($first: Int, $after: String, $offset: Int, $status: PageStatus, $categoryId: ID) {
    pages(first: $first, after: $after, offset: $offset, status: $status, categoryId: $categoryId) {
      nodes { title } totalCount pageInfo { endCursor hasNextPage } } }`
  const list = async (variables: object) => {
    const { data } = await stack.ask(lister, LIST, { ...variables })
    return { ...data.pages, titles: data.pages.nodes.map(({ title }: { title: string }) => title).join('') }
  }

  test('are read page by page, by cursor or by offset', async () => {
    const first = await list({ first: 2 })
    expect(first).toMatchObject({ titles: 'ab', totalCount: 5, pageInfo: { hasNextPage: true } })
    expect(await list({ first: 2, after: first.pageInfo.endCursor })).toMatchObject({ titles: 'cd' })
    expect(await list({ first: 2, offset: 4 })).toMatchObject({ titles: 'e' })
  })

  test('have only those of a status, or of a category', async () => {
    expect(await list({ status: 'DRAFT' })).toMatchObject({ titles: 'ab', totalCount: 2 })
    const { data } = await stack.ask(lister, '{ pageCategories { id name pages { title } } }')
    expect(data.pageCategories).toMatchObject([{ name: 'News', pages: [{ title: 'a' }, { title: 'c' }, { title: 'e' }] }])
    expect(await list({ categoryId: data.pageCategories[0].id, status: 'PUBLIC' })).toMatchObject({ titles: 'ce', totalCount: 2 })
    expect(await list({ categoryId: 'no id' })).toMatchObject({ titles: '', totalCount: 0 })
  })

  test('take the same number of statements whatever their size', async () => {
    const reader = await stack.aStore({ name: 'Reader' })
    const category = await aCategory('C', reader)
    await aTemplate('T', reader)
    for (let index = 0; index < 10; index += 1)
      await aPage({ title: `p${index}`, template: 'T', categoryIds: [category.id] }, reader)
    const queries = watchStatements()
    const statements = async (first: number) => {
      const before = queries.texts().length
      const query = `{ pages(first: ${first}) { nodes { title template { name } categories { position category { name pages { title } } } } totalCount } }`
      const { data } = await stack.ask(reader, query)
      return { rows: data.pages.nodes.length, statements: queries.texts().length - before }
    }
    try {
      const small = await statements(2)
      expect(small.rows).toBe(2)
      expect(await statements(10)).toEqual({ rows: 10, statements: small.statements })
    } finally {
      queries.stop()
    }
  })
})

describe('categories and templates of pages', () => {
  test('a category has its pages in the order that was given', async () => {
    const [one, two, three] = [await aPage({ title: 'One' }), await aPage({ title: 'Two' }), await aPage({ title: 'Three' })]
    const made = await change('createPageCategory', { input: { name: 'Ordered', pageIds: [three.id, one.id] } })
    expect(made.pageCategory.pages).toEqual([{ title: 'Three' }, { title: 'One' }])
    const { id } = made.pageCategory
    const changed = await change('updatePageCategory', { id, input: { pageIds: [two.id, String(three.number)] } })
    expect(changed.pageCategory).toMatchObject({ name: 'Ordered', version: 2, pages: [{ title: 'Two' }, { title: 'Three' }] })
    expect((await change('updatePageCategory', { id, input: { pageIds: null } })).pageCategory.pages).toEqual([])
    expect(await change('updatePageCategory', { id, input: { pageIds: [one.id, String(one.number)] } })).toMatchObject({
      errors: [{ field: 'pageIds' }],
    })
  })

  test('pages stay when their category or their template goes', async () => {
    const [category, template] = [await aCategory('Short-lived'), await aTemplate('Short-lived')]
    const { id } = await aPage({ title: 'Survivor', categoryIds: [category.id], template: 'Short-lived' })
    await change('deletePageCategory', { id: category.id })
    await change('deletePageTemplate', { id: template.id })
    const { data } = await stack.ask(
      shop,
      'query ($id: ID!) { page(id: $id) { title template { name } categories { position } } }',
      { id },
    )
    expect(data.page).toEqual({ title: 'Survivor', template: null, categories: [] })
  })

  test.each(['PageCategory', 'PageTemplate'])('a name belongs to one %s, also when ten want it at once', async (noun) => {
    const results = await Promise.all(Array.from({ length: 10 }, () => change(`create${noun}`, { input: { name: 'Wanted' } })))
    expect(results.filter(({ __typename }) => __typename === `Create${noun}Success`)).toHaveLength(1)
    expect(results.find(({ __typename }) => __typename === 'ValidationError')).toMatchObject({ errors: [{ field: 'name' }] })
    const other = (await change(`create${noun}`, { input: { name: 'Unwanted' } }))[`page${noun.slice(4)}`]
    expect(await change(`update${noun}`, { id: other.id, input: { name: 'Wanted' } })).toMatchObject({
      errors: [{ field: 'name' }],
    })
    expect(await change(`update${noun}`, { id: other.id, input: { name: 'Unwanted' } })).toMatchObject({
      __typename: `Update${noun}Success`,
    })
  })

  test('a store has at most 100 of them', async () => {
    const full = await stack.aStore({ name: 'Full' })
    await stack.sql('INSERT INTO page_template (store_id, name) SELECT $1, n FROM generate_series(1, 100) n', [full.storeId])
    expect(await change('createPageTemplate', { input: { name: 'One too many' } }, full)).toMatchObject({
      errors: [{ field: 'name' }],
    })
  })
})
