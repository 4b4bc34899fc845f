/**
 * What somebody would write by hand for two paths of the REST API: Fastify, SQL, and nothing that
 * is not asked for. Listens on PORT and reads DATABASE_URL; answers what Atrium at PUBLIC_URL
 * answers, for the one store whose login and authtoken are in LOGIN and AUTHTOKEN.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'

const { DATABASE_URL, PORT, PUBLIC_URL, LOGIN, AUTHTOKEN } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, options: '-c search_path=store,public' })
const app = Fastify()

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const wanted = digest(`Basic ${Buffer.from(`${LOGIN}:${AUTHTOKEN}`).toString('base64')}`)
const STORE = 1

type Row = Readonly<Record<string, string | number | boolean | Date | null>>

/** Prepared once per connection. */
const ask = async (name: string, text: string, values: unknown[]): Promise<Row[]> =>
  (await pool.query({ name, text, values })).rows

const number = (text: unknown): number | null => (text === null ? null : Number(text))
const time = (at: unknown): string => `${(at as Date).toISOString().slice(0, 19).replace('T', ' ')} UTC`
const word = (text: unknown): string => String(text).toLowerCase().replaceAll('_', '-')

async function whole(products: readonly Row[]): Promise<object[]> {
  const ids = products.map(({ id }) => id)
  const [categories, images, variants, options, digital] = await Promise.all([
    ask(
      'categories',
      `SELECT product_id, id, name, parent_id, permalink FROM product_category_member member
        JOIN product_category category ON category.store_id = member.store_id AND category.id = member.category_id
        WHERE member.store_id = $1 AND product_id = ANY($2) ORDER BY id`,
      [STORE, ids],
    ),
    ask(
      'images',
      `SELECT product_id, image.id, position, key FROM product_image image JOIN file ON file.store_id = image.store_id AND file.id = image.file_id
        WHERE image.store_id = $1 AND product_id = ANY($2) ORDER BY position`,
      [STORE, ids],
    ),
    ask('variants', 'SELECT * FROM product_variant WHERE store_id = $1 AND product_id = ANY($2) ORDER BY id', [STORE, ids]),
    ask(
      'options',
      `SELECT variant_id, option.name, option_type, value.name AS value, custom, option.position AS option_position, value.position AS value_position
        FROM product_variant variant
        JOIN product_variant_value held ON held.store_id = variant.store_id AND held.variant_id = variant.id
        JOIN product_option_value value ON value.store_id = held.store_id AND value.id = held.value_id
        JOIN product_option option ON option.store_id = value.store_id AND option.id = value.option_id
        WHERE variant.store_id = $1 AND variant.product_id = ANY($2) ORDER BY option.position, option.id`,
      [STORE, ids],
    ),
    ask('digital', 'SELECT id FROM digital_asset WHERE store_id = $1 AND product_id = ANY($2)', [STORE, ids]),
  ])
  if (digital.length > 0) throw new Error('Expected no digital products.')
  const categoriesOf = Map.groupBy(categories, (row) => row.product_id)
  const imagesOf = Map.groupBy(images, (row) => row.product_id)
  const variantsOf = Map.groupBy(variants, (row) => row.product_id)
  const optionsOf = Map.groupBy(options, (row) => row.variant_id)
  const imageOf = new Map(images.map((row) => [row.id, image(row)]))

  return products.map((row) => ({
    product: {
      id: row.id,
      name: row.name,
      page_title: row.page_title,
      description: row.description,
      type: word(row.type),
      days_to_expire: row.days_to_expire,
      price: number(row.price),
      discount: number(row.discount),
      weight: number(row.weight),
      stock: row.stock,
      stock_unlimited: row.stock_unlimited,
      stock_threshold: row.stock_threshold,
      stock_notification: row.stock_notification,
      back_in_stock_enabled: row.back_in_stock_enabled,
      cost_per_item: number(row.cost_per_item),
      compare_at_price: number(row.compare_at_price),
      sku: row.sku,
      brand: row.brand,
      barcode: row.barcode,
      google_product_category_text: row.google_product_category,
      quotable: row.quotable,
      featured: row.featured,
      reviews_enabled: row.reviews_enabled,
      status: word(row.status),
      created_at: time(row.created_at),
      updated_at: time(row.updated_at),
      package_format: word(row.package_format),
      length: number(row.length),
      width: number(row.width),
      height: number(row.height),
      diameter: number(row.diameter),
      permalink: row.permalink,
      categories: (categoriesOf.get(row.id ?? 0) ?? []).map(({ id, name, parent_id, permalink }) => ({
        id,
        name,
        parent_id,
        permalink,
      })),
      images: (imagesOf.get(row.id ?? 0) ?? []).map(image),
      variants: (variantsOf.get(row.id ?? 0) ?? []).map((variant) => ({
        id: variant.id,
        price: number(variant.price),
        sku: variant.sku,
        barcode: variant.barcode,
        stock: variant.stock,
        stock_unlimited: variant.stock_unlimited,
        stock_threshold: variant.stock_threshold,
        stock_notification: variant.stock_notification,
        cost_per_item: number(variant.cost_per_item),
        compare_at_price: number(variant.compare_at_price),
        options: (optionsOf.get(variant.id ?? 0) ?? []).map((option) => ({
          name: option.name,
          option_type: word(option.option_type),
          value: option.value,
          custom: option.custom,
          product_option_position: option.option_position,
          product_value_position: option.value_position,
        })),
        image: (variant.image_id !== null && imageOf.get(variant.image_id ?? 0)) || null,
      })),
      digital_products: [],
    },
  }))
}

const image = ({ id, position, key }: Row) => ({ id, position, url: `${PUBLIC_URL}/files/${key}` })

app.addHook('onRequest', async (request, reply) => {
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), wanted))
    return reply.code(401).send({ message: 'Who are you?' })
})

app.get<{ Querystring: { limit?: string; page?: string } }>('/v1/products.json', async ({ query }) => {
  const limit = Math.min(Number(query.limit ?? 50), 100)
  const offset = (Number(query.page ?? 1) - 1) * limit
  return whole(
    await ask('list', 'SELECT * FROM product WHERE store_id = $1 ORDER BY id LIMIT $2 OFFSET $3', [STORE, limit, offset]),
  )
})

app.get<{ Params: { id: string } }>('/v1/products/:id.json', async ({ params }, reply) => {
  const found = await ask('one', 'SELECT * FROM product WHERE store_id = $1 AND id = $2', [STORE, Number(params.id)])
  return found.length === 0 ? reply.code(404).send({ message: 'There is none.' }) : (await whole(found))[0]
})

await app.listen({ port: Number(PORT), host: '127.0.0.1' })
