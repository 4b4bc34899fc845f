import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHttpServer } from '../../support/http-server.ts'
import { GIF, PNG, SVG } from '../../support/images.ts'
import { changer } from './support/change.ts'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let server: Awaited<ReturnType<typeof startHttpServer>>
beforeAll(async () => {
  // A clock that stands: credentials are judged anew after a second, which is a statement.
  stack = await startStore(() => new Date('2026-11-20T09:00:00Z'))
  shop = await stack.aStore()
  server = await startHttpServer({
    '/a.png': (_, response) => response.end(PNG),
    '/b.gif': (_, response) => response.end(GIF),
    '/c.svg': (_, response) => response.end(SVG),
  })
})
afterAll(async () => {
  await server.close()
  await stack.close()
})

const change = async (name: string, variables: Record<string, unknown>, who = shop) =>
  changer(stack, { Page: 'id number', PageImage: 'id number position url contentType byteCount page { number version }' })(
    who,
    name,
    variables,
  )
const aPage = async (who = shop) => (await change('createPage', { input: { title: 'A page' } }, who)).page
const create = (pageId: string, input: object = {}, who = shop) =>
  change('createPageImage', { input: { pageId, url: `${server.url}/a.png`, ...input } }, who)
const anImage = async (pageId: string) => (await create(pageId)).pageImage
/** Numbers of the images of a page, in their order; positions must be 1, 2, 3 … */
async function orderOf(id: string): Promise<number[]> {
  const { data } = await stack.ask(
    shop,
    'query ($id: ID!) { page(id: $id) { image { number } imageCount images { number position } } }',
    {
      id,
    },
  )
  const { images, imageCount, image } = data.page
  expect(images.map((each: { position: number }) => each.position)).toEqual(images.map((_: unknown, index: number) => index + 1))
  expect([imageCount, image]).toEqual([images.length, images[0] ? { number: images[0].number } : null])
  return images.map((each: { number: number }) => each.number)
}
const files = async () => Number((await stack.sql('SELECT count(*) FROM file'))[0]?.count)

test('a picture is fetched once and kept, as the last of its page', async () => {
  const { id, number } = await aPage()
  const first = await anImage(id)
  expect(first).toMatchObject({ position: 1, contentType: 'image/png', byteCount: PNG.length, page: { number, version: 2 } })
  expect(first.url).toMatch(/^https:\/\/atrium\.example\/files\/public\//)
  const second = await anImage(String(number))
  expect(await orderOf(id)).toEqual([first.number, second.number])
})

test('a picture is replaced where it is, and the file that it had is gone', async () => {
  const { id } = await aPage()
  const [first, second] = [await anImage(id), await anImage(id)]
  const before = await files()
  const changed = await change('updatePageImage', { id: first.id, input: { url: `${server.url}/b.gif` } })
  expect(changed.pageImage).toMatchObject({ number: first.number, position: 1, contentType: 'image/gif' })
  expect(changed.pageImage.url).not.toBe(first.url)
  expect([await orderOf(id), await files()]).toEqual([[first.number, second.number], before])
})

test('pictures are moved and deleted without gaps', async () => {
  const { id } = await aPage()
  const [one, two, three] = [await anImage(id), await anImage(id), await anImage(id)]
  const move = (image: { id: string }, position: number) => change('updatePageImage', { id: image.id, input: { position } })
  await move(three, 1)
  expect(await orderOf(id)).toEqual([three.number, one.number, two.number])
  await move(three, 2)
  expect(await orderOf(id)).toEqual([one.number, three.number, two.number])
  expect((await move(one, 2_147_483_647)).pageImage.position).toBe(3)
  expect(await orderOf(id)).toEqual([three.number, two.number, one.number])
  expect(await move(one, 0)).toMatchObject({ errors: [{ field: 'position' }] })
  const before = await files()
  await change('deletePageImage', { id: three.id })
  expect([await orderOf(id), await files()]).toEqual([[two.number, one.number], before - 1])
})

test('ten concurrent pictures have ten positions', async () => {
  const { id } = await aPage()
  await Promise.all(Array.from({ length: 10 }, () => anImage(id)))
  expect(await orderOf(id)).toHaveLength(10)
})

test.each([
  ['/c.svg', 'url'],
  ['/none.png', 'url'],
])('%s is refused, and the page has no picture', async (path, field) => {
  const { id } = await aPage()
  const before = await files()
  expect(await create(id, { url: `${server.url}${path}` })).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
  expect(await create(id, { url: '' })).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
  expect([await orderOf(id), await files()]).toEqual([[], before])
})

test('a picture goes with its page, and is another page’s and another store’s business', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const [page, another] = [await aPage(), await aPage()]
  const { id } = await anImage(page.id)
  const theirs = await change('updatePageImage', { id, input: { position: 1 } }, other)
  const wrongPage = await change('deletePageImage', { id, pageId: another.id })
  expect([theirs.__typename, wrongPage.__typename]).toEqual(['NotFoundError', 'NotFoundError'])
  expect((await create(page.id, {}, other)).__typename).toBe('NotFoundError')
  const ASK = 'query ($id: ID!, $pageId: ID) { pageImage(id: $id, pageId: $pageId) { position } }'
  const ask = async (pageId: string, who = shop) => (await stack.ask(who, ASK, { id, pageId })).data.pageImage
  expect([await ask(page.id), await ask(another.id), await ask(page.id, other)]).toEqual([{ position: 1 }, null, null])
  await change('deletePage', { id: page.id })
  expect(await ask(page.id)).toBeNull()
})

test('a list of pages with their pictures takes the same number of statements whatever its size', async () => {
  const reader = await stack.aStore({ name: 'Reader' })
  for (let index = 0; index < 4; index += 1) await create((await aPage(reader)).id, {}, reader)
  const queries = watchStatements()
  const statements = async (first: number) => {
    const before = queries.texts().length
    const { data } = await stack.ask(
      reader,
      `{ pages(first: ${first}) { nodes { image { url } images { page { title } } imageCount } } }`,
    )
    expect(data.pages.nodes).toHaveLength(first)
    return queries.texts().length - before
  }
  try {
    expect(await statements(1)).toBe(await statements(4))
  } finally {
    queries.stop()
  }
})
