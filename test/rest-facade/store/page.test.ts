import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHttpServer } from '../../support/http-server.ts'
import { GIF, PNG, SVG } from '../../support/images.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
let server: Awaited<ReturnType<typeof startHttpServer>>
beforeAll(async () => {
  stack = await startStoreStack()
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

const aPage = async (page: object = {}, as = stack.own) =>
  (await stack.ask('POST /pages.json', { body: { page: { title: 'A page', ...page } }, as })).json.page
/** A category or template of pages, which the contract has no operations for. */
const aLabel = async (table: 'page_category' | 'page_template', name: string): Promise<number> => {
  const [row] = await stack.sql(`INSERT INTO ${table} (store_id, name) VALUES ($1, $2) RETURNING id`, [stack.own.storeId, name])
  return Number(row?.id)
}

test('pages are created, read, listed, counted, changed and deleted', async () => {
  const shop = await stack.aStore()
  const ask = (on: string, body?: object) => stack.ask(on, { as: shop, ...(body && { body }) })
  expect((await ask('GET /pages.json')).json).toEqual([])
  const made = await ask('POST /pages.json', { page: { title: 'About us', body: '<p>Hi</p>', status: 'hidden' } })
  const { id } = made.json.page
  expect([made.status, made.text]).toEqual([
    200,
    `{"page":{"id":${id},"title":"About us","body":"<p>Hi</p>","status":"hidden","legal":false,"page_title":null,"meta_description":null,"categories":[],"template":null,"permalink":"about-us","image":null}}`,
  ])
  expect((await ask('GET /pages.json')).json).toEqual([made.json])
  expect((await ask('GET /pages/count.json')).text).toBe('{"count":1}')
  const changed = await ask(`PUT /pages/${id}.json`, { page: { page_title: 'All about us', status: 'public', body: null } })
  expect(changed.json.page).toEqual({ ...made.json.page, page_title: 'All about us', status: 'public', body: null })
  expect((await ask(`GET /pages/${id}.json`)).json).toEqual(changed.json)
  expect((await ask(`DELETE /pages/${id}.json`)).text).toBe('"OK"')
  for (const on of [`GET /pages/${id}.json`, `DELETE /pages/${id}.json`]) expect((await ask(on)).status).toBe(404)
  expect((await ask(`PUT /pages/${id}.json`, { page: {} })).status).toBe(404)
})

test('a page names its template, and its categories by their numbers', async () => {
  const [menu, wide] = [await aLabel('page_category', 'Menu'), await aLabel('page_template', 'Wide')]
  const page = await aPage({ categories: [menu], template: 'Wide' })
  expect(page).toMatchObject({ categories: [{ position: 1, id: menu, name: 'Menu' }], template: { id: wide, name: 'Wide' } })
  const missing = await stack.ask('POST /pages.json', { body: { page: { title: 'x', categories: [999_999_999] } } })
  expect(missing.status).toBe(404)
  const { json } = await stack.ask(`PUT /pages/${page.id}.json`, { body: { page: { categories: [], template: null } } })
  expect(json.page).toMatchObject({ categories: [], template: null })
})

test('a legal page refuses to go', async () => {
  const { id } = await aPage()
  await stack.sql('UPDATE page SET legal = true WHERE id = $1', [id])
  const { status, json } = await stack.ask(`DELETE /pages/${id}.json`)
  expect([status, Object.keys(json.errors)]).toEqual([400, ['id']])
  expect((await stack.ask(`GET /pages/${id}.json`)).json.page.legal).toBe(true)
})

test.each([
  [{ title: '' }, 'page.title'],
  [{}, 'page.title'],
  [{ title: 'x', status: 'secret' }, 'page.status'],
  [{ title: 'x', page_title: ' ' }, 'page.page_title'],
  [{ title: 'x', categories: 'menu' }, 'page.categories'],
  [{ title: 'x', categories: [{}] }, 'page.categories.0'],
  [{ title: 7 }, 'page.title'],
])('%j is refused by its field on the wire', async (page, field) => {
  const { status, json } = await stack.ask('POST /pages.json', { body: { page } })
  expect([status, Object.keys(json.errors)]).toEqual([400, [field]])
})

test('pictures are added, listed, counted, replaced and deleted; the first is the page’s', async () => {
  const { ask } = stack
  const { id } = await aPage()
  const images = `/pages/${id}/images.json`
  const made = await ask(`POST ${images}`, { body: { image: { url: `${server.url}/a.png` } } })
  const first = made.json.image
  expect([made.status, Object.keys(first)]).toEqual([200, ['id', 'url']])
  const second = (await ask(`POST ${images}`, { body: { image: { url: `${server.url}/b.gif` } } })).json.image
  expect((await ask(`GET ${images}`)).json).toEqual([{ image: first }, { image: second }])
  expect((await ask(`GET /pages/${id}/images/count.json`)).text).toBe('{"count":2}')
  expect((await ask(`GET /pages/${id}.json`)).json.page.image).toEqual(first)

  const own = `/pages/${id}/images/${first.id}.json`
  const replaced = (await ask(`PUT ${own}`, { body: { image: { url: `${server.url}/b.gif` } } })).json.image
  expect([replaced.id, replaced.url === first.url]).toEqual([first.id, false])
  expect((await ask(`GET ${own}`)).json).toEqual({ image: replaced })
  expect((await ask(`DELETE ${own}`)).text).toBe('"OK"')
  expect((await ask(`GET ${own}`)).status).toBe(404)
  expect((await ask(`GET /pages/${id}.json`)).json.page.image).toEqual(second)
})

test('an invalid picture is refused, and a picture is found with its own page only', async () => {
  const { ask } = stack
  const [{ id }, another] = [await aPage(), await aPage()]
  for (const url of [`${server.url}/c.svg`, 'ftp://example.org/a.png', '']) {
    const refused = await ask(`POST /pages/${id}/images.json`, { body: { image: { url } } })
    expect([url, refused.status, Object.keys(refused.json.errors)]).toEqual([url, 400, ['image.url']])
  }
  expect((await ask('POST /pages/999999999/images.json', { body: { image: { url: `${server.url}/a.png` } } })).status).toBe(404)
  const { image } = (await ask(`POST /pages/${id}/images.json`, { body: { image: { url: `${server.url}/a.png` } } })).json
  for (const page of [another.id, 999_999_999]) {
    const path = `/pages/${page}/images/${image.id}.json`
    expect((await ask(`GET ${path}`)).status).toBe(404)
    expect((await ask(`PUT ${path}`, { body: { image: { url: `${server.url}/b.gif` } } })).status).toBe(404)
    expect((await ask(`DELETE ${path}`)).status).toBe(404)
  }
  expect((await ask('GET /pages/999999999/images.json')).status).toBe(404)
  expect((await ask('GET /pages/999999999/images/count.json')).status).toBe(404)
})

test('a page of another store is not found by any operation', async () => {
  const other = await stack.aStore()
  const { id } = await aPage()
  const { image } = (await stack.ask(`POST /pages/${id}/images.json`, { body: { image: { url: `${server.url}/a.png` } } })).json
  const paths = [`/pages/${id}.json`, `/pages/${id}/images/${image.id}.json`]
  for (const path of paths) {
    for (const method of ['GET', 'DELETE']) expect((await stack.ask(`${method} ${path}`, { as: other })).status).toBe(404)
  }
  expect((await stack.ask(`PUT ${paths[0]}`, { as: other, body: { page: { title: 'Theirs' } } })).status).toBe(404)
  expect((await stack.ask(`PUT ${paths[1]}`, { as: other, body: { image: { url: `${server.url}/b.gif` } } })).status).toBe(404)
  expect((await stack.ask(`GET /pages/${id}/images.json`, { as: other })).status).toBe(404)
  expect((await stack.ask('GET /pages.json', { as: other })).json).toEqual([])
})
