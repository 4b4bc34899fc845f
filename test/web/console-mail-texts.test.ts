import { afterAll, beforeAll, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { consoleAt, fieldsOf, type Shop } from './support/console.ts'
import { startWeb } from './support/site.ts'

const TEXTS = '/console/mail-texts'

let web: Awaited<ReturnType<typeof startWeb>>
let shop: Shop
const { signedIn, graph } = consoleAt(() => web.url)
beforeAll(async () => {
  web = await startWeb()
  shop = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name: 'Corner shop', country: 'PT', isPaid: true }),
  )
  await graph(shop, 'mutation { updateStore(input: {languages: ["pt-BR", "en"]}) { __typename } }', {})
})
afterAll(() => web?.close())

test('texts of e-mails are changed and reset per language; what is wrong is said in the form', async () => {
  const { visitor } = await signedIn(shop)
  expect((await visitor.get('/console/settings')).text).toContain(`href="${TEXTS}"`)
  const path = `${TEXTS}/confirmation/pt-BR`
  const page = await visitor.get(TEXTS)
  const fields = fieldsOf(page, path)
  expect(fields.subject).toBe('A sua encomenda {order} na {shop}')
  expect(page.text).not.toContain(`action="${path}/reset"`)
  const refused = await visitor.post(path, { ...fields, subject: 'Pedido {pedido}' })
  expect([refused.status, refused.text.includes('{order}, {shop}')]).toEqual([422, true])
  const saved = await visitor.post(path, { ...fields, subject: 'Pedido {order} <b>', opening: 'Oi!\r\n{shop}' })
  expect(saved.headers.location).toBe(`${TEXTS}?done=saved`)
  const changed = await visitor.get(TEXTS)
  expect(fieldsOf(changed, path)).toEqual({ subject: 'Pedido {order} <b>', opening: 'Oi!\n{shop}' })
  expect(changed.text).not.toContain('<b>')
  expect(fieldsOf(changed, `${TEXTS}/confirmation/en`).subject).toBe('Your order {order} at {shop}')
  expect((await visitor.post(`${path}/reset`, {})).headers.location).toBe(`${TEXTS}?done=reset`)
  expect(fieldsOf(await visitor.get(TEXTS), path)).toEqual(fields)
  for (const wrong of [`${TEXTS}/nothing/en`, `${TEXTS}/constructor/en`])
    expect((await visitor.post(wrong, { ...fields })).status).toBe(404)
  expect((await visitor.post(`${TEXTS}/confirmation/sv`, { ...fields })).status).toBe(422)
})
