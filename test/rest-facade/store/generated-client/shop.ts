import createClient from 'openapi-fetch'
import type { paths } from '#generated/store-client.ts'

/** What the shop was seen to be on the way. */
export type Seen = Readonly<Record<string, unknown>>

/** A picture of one dot, as merchants' programs send those that they have at hand. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/**
 * Runs a shop through a client whose types come from the contract: from an empty catalogue to an
 * order that is paid and sent, and back. Every body and answer is checked by the compiler.
 */
export async function runShop(baseUrl: string, { login, authtoken }: { login: string; authtoken: string }): Promise<Seen> {
  const store = createClient<paths>({
    baseUrl,
    headers: { authorization: `Basic ${btoa(`${login}:${authtoken}`)}` },
    querySerializer: { array: { style: 'form', explode: false } },
  })

  const { category } = dataOf(await store.POST('/categories.json', { body: { category: { name: 'Shirts' } } }))
  const made = dataOf(
    await store.POST('/products.json', {
      body: {
        product: {
          name: 'Linen shirt',
          price: 39.9,
          status: 'available',
          categories: [{ id: idOf(category) }],
          variants: [
            { variant: { sku: 'LS-S', stock: 2, options: [{ name: 'Size', value: 'S' }] } },
            { variant: { sku: 'LS-M', stock: 2, options: [{ name: 'Size', value: 'M' }] } },
          ],
        },
      },
    }),
  )
  const id = idOf(made.product)
  const small = idOf(made.product?.variants?.[0])

  const { image } = dataOf(
    await store.POST('/products/{id}/images.json', { params: { path: { id } }, body: { image: { url: PICTURE } } }),
  )

  const place = { name: 'Warehouse', main: true, address: 'Rua Nova 1', city: 'Porto', country: 'PT' }
  const location = idOf(dataOf(await store.POST('/locations.json', { body: place })).location)
  await store.PUT('/products_locations', {
    body: { location_id: location, product_id: id, variant_id: small, stock: 7, stock_unlimited: false },
  })
  const levels = dataOf(
    await store.GET('/products_locations', {
      params: { query: { location_ids: [location], product_ids: [id], variant_ids: [small] } },
    }),
  )

  const { customer } = dataOf(
    await store.POST('/customers.json', { body: { customer: { email: 'ana@example.org', phone: '912345678' } } }),
  )
  const { order } = dataOf(
    await store.POST('/orders.json', {
      body: {
        order: { status: 'Pending Payment', customer: { id: idOf(customer) }, products: [{ id, variant_id: small, qty: 2 }] },
      },
    }),
  )
  const at = { params: { path: { id: idOf(order) } } }
  const paid = dataOf(await store.PUT('/orders/{id}.json', { ...at, body: { order: { status: 'Paid' } } }))
  const { fulfillment } = dataOf(
    await store.POST('/fulfillments.json', {
      body: {
        fulfillment: { type: 'manual', location_id: String(location), order_id: String(idOf(order)), tracking_number: 'T1' },
      },
    }),
  )
  const sent = dataOf(await store.GET('/orders/{id}.json', at))
  const found = dataOf(
    await store.GET('/products/search.json', { params: { query: { query: 'linen', fields: ['name', 'sku'] } } }),
  )
  const after = dataOf(await store.GET('/products/{id}.json', { params: { path: { id } } }))

  const wanted = { event: 'order_paid', url: 'https://receiver.example/hooks/paid' } as const
  const { hook } = dataOf(await store.POST('/hooks.json', { body: { hook: wanted } }))
  const hookAt = { params: { path: { id: idOf(hook) } } }
  const read = dataOf(await store.GET('/hooks/{id}.json', hookAt)).hook
  const hooks = dataOf(await store.GET('/hooks.json'))

  const gone = [
    dataOf(await store.DELETE('/hooks/{id}.json', hookAt)),
    dataOf(await store.DELETE('/products/{id}.json', { params: { path: { id } } })),
    dataOf(await store.DELETE('/categories/{id}.json', { params: { path: { id: idOf(category) } } })),
  ]
  const { response, error } = await store.GET('/products/{id}.json', { params: { path: { id } } })
  return {
    image: image?.position,
    levels: levels.map(({ stock }) => stock),
    total: order?.total,
    lines: order?.products?.map(({ sku, qty }) => [sku, qty]),
    paid: paid.order?.status_enum,
    sent: [fulfillment?.tracking_number, sent.order?.tracking_number, sent.order?.fulfillment_status],
    found: found.map(({ product }) => product?.name),
    left: after.product?.variants?.map(({ sku, stock }) => [sku, stock]),
    hook: [read?.id === hook?.id, read?.event, read?.url],
    hooks: hooks.map((each) => each.hook?.url),
    gone,
    missing: [response.status, error?.message !== undefined],
  }
}

/** The answer of a success; throws what a failure says. */
function dataOf<Data>({ data, error, response }: { data?: Data; error?: unknown; response: Response }): NonNullable<Data> {
  if (data === undefined || data === null) throw new Error(`${response.status} ${response.url}: ${JSON.stringify(error)}`)
  return data
}

function idOf(thing: { id?: number | null } | null | undefined): number {
  if (!thing?.id) throw new Error('Expected a thing with an id.')
  return thing.id
}
