import pg from 'pg'

/** How much there is to be. */
export type Size = { readonly products: number; readonly orders: number }

/** Rows of one statement: as many as take about a second. */
const BATCH = 20_000
const ADJECTIVES =
  'Amber Ashen Bold Brisk Calm Cedar Coastal Copper Dusky Early Faded Fern Gentle Golden Harbour Hazel Ivory Linen Lunar Maple Misty Mossy Northern Oaken Olive Pale Plain Quiet Rustic Sandy Silver Slate Soft Stone Sunny Timber Velvet Wild Winter Woven'.split(
    ' ',
  )
const NOUNS =
  'Apron Basket Bench Blanket Board Bottle Bowl Box Bracelet Brush Candle Chair Clock Coat Cup Cushion Desk Diary Dress Frame Glove Hat Jacket Jar Kettle Knife Lamp Mirror Mug Notebook Pan Planter Plate Poster Ring Rug Sandal Scarf Shelf Shirt Soap Sofa Spoon Stool Table Teapot Towel Tray Vase Watch'.split(
    ' ',
  )
const NAMES =
  'Ada Aoife Bruno Carla Chidi Dara Elena Emil Fatima Grace Hana Hugo Ines Ivan Joana Kofi Lena Luca Maeve Mateo Nadia Niamh Olga Omar Pia Rafael Rosa Sami Tomasz Vera'.split(
    ' ',
  )
const SURNAMES =
  'Almeida Brennan Costa Doyle Fischer Garcia Hansen Ito Jansen Kelly Lopez Moran Novak Okafor Quinn Rossi Silva Tanaka Varga Weber'.split(
    ' ',
  )

/**
 * Fills an empty store of a migrated database, by statements and without its actions: 3 variants
 * and 2 pictures (without bytes) to a product, 2 lines to an order. Nothing checks foreign keys
 * meanwhile, and indices are made at the end. Throws when `signal` is aborted, and then something
 * of it is there.
 */
export async function generate(
  client: pg.Client,
  storeId: number,
  { products, orders }: Size,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (done: number, total: number) => void },
): Promise<void> {
  const customers = Math.max(1, Math.ceil(orders / 20))
  const run = (sql: string) =>
    client.query(
      sql
        .replaceAll('$STORE', String(storeId))
        .replaceAll('$PRODUCTS', String(products))
        .replaceAll('$ORDERS', String(orders))
        .replaceAll('$CUSTOMERS', String(customers)),
    )
  // Generated rows keep to the constraints by their making; fsync is worth nothing here.
  await run(
    `SET search_path = store, public; SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '512MB'`,
  )
  const { rows: indices } = await client.query<{ readonly name: string; readonly definition: string }>(`
    SELECT class.relname AS name, pg_get_indexdef(index.indexrelid) AS definition FROM pg_index index
    JOIN pg_class class ON class.oid = index.indexrelid
    WHERE class.relnamespace = 'store'::regnamespace AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = index.indexrelid)`)
  for (const { name } of indices) await run(`DROP INDEX ${pg.escapeIdentifier(name)}`)

  const parts = [
    { rows: 1, sql: SETTINGS },
    { rows: customers, sql: CUSTOMERS },
    { rows: products, sql: PRODUCTS },
    { rows: orders, sql: ORDERS },
  ]
  // Indices are about a third of the work.
  const total = parts.reduce((sum, { rows }) => sum + rows, 0) * 1.5
  let done = 0
  for (const { rows, sql } of parts) {
    for (let from = 1; from <= rows; from += BATCH) {
      signal.throwIfAborted()
      const to = Math.min(from + BATCH - 1, rows)
      for (const statement of sql) await run(statement.replaceAll('$FROM', String(from)).replaceAll('$TO', String(to)))
      done += to - from + 1
      onProgress(done, total)
    }
  }
  for (const [index, { definition }] of indices.entries()) {
    signal.throwIfAborted()
    await run(definition)
    onProgress(done + ((total - done) * (index + 1)) / indices.length, total)
  }
  // Triggers maintain it otherwise.
  for (let from = 1; from <= products; from += BATCH)
    await run(`SELECT refresh_product_facets($STORE, ARRAY(SELECT generate_series(${from}, ${from + BATCH - 1})))`)
  const { rows: columns } = await client.query<{ readonly table: string }>(`
    SELECT table_name AS table FROM information_schema.columns WHERE table_schema = 'store' AND column_name = 'id' AND is_identity = 'YES'`)
  for (const { table } of columns) {
    await run(
      `SELECT setval(pg_get_serial_sequence('store.${pg.escapeIdentifier(table)}', 'id'), coalesce(max(id), 0) + 1, false) FROM store.${pg.escapeIdentifier(table)}`,
    )
  }
  await run('RESET session_replication_role')
  await run('VACUUM ANALYZE')
}

const list = (words: readonly string[]): string => `(ARRAY[${words.map((word) => `'${word}'`).join(', ')}])`
const pick = (words: readonly string[], by: string): string => `${list(words)}[1 + (${by}) % ${words.length}]`
const NAME = `${pick(ADJECTIVES, 'n * 7')} || ' ' || ${pick(NOUNS, 'n * 11 + n / 50')} || ' ' || n`
const PERSON = (by: string) => ({ name: pick(NAMES, `${by} * 7`), surname: pick(SURNAMES, `${by} * 3 + ${by} / 30`) })
const ADDRESS = (by: string) =>
  `jsonb_build_object('name', ${PERSON(by).name}, 'surname', ${PERSON(by).surname}, 'address', 'Market Square ' || ${by} % 99, 'city', 'Lisbon', 'postal', '1000-' || lpad((${by} % 999)::text, 3, '0'), 'country', 'Portugal', 'countryCode', 'PT')`
const EMAIL = (by: string) => `lower(${PERSON(by).name}) || '.' || ${by} || '@example.org'`
/** The last three years, in the order of ids. */
const WHEN = (share: string) => `date_trunc('milliseconds', now() - interval '3 years' * (1 - ${share}))`

const SETTINGS = [
  `INSERT INTO location (store_id, name, main, pickup_point, address, created_at, updated_at)
    VALUES ($STORE, 'Warehouse', true, false, '{"address": "Rua 1", "city": "Lisbon", "country": "PT"}', now(), now())`,
  `INSERT INTO product_category (store_id, id, parent_id, name, permalink, created_at, updated_at) OVERRIDING SYSTEM VALUE
    SELECT $STORE, n, CASE WHEN n > 20 THEN 1 + n % 20 END, 'Category ' || n, 'category-' || n, now(), now() FROM generate_series(1, 220) n`,
]

const CUSTOMERS = [
  `INSERT INTO customer (store_id, id, email, email_key, shipping_address, billing_address, search_key, created_at, updated_at) OVERRIDING SYSTEM VALUE
    SELECT $STORE, n, ${EMAIL('n')}, ${EMAIL('n')}, ${ADDRESS('n')}, ${ADDRESS('n')}, ${EMAIL('n')} || ' ' || lower(${PERSON('n').name} || ' ' || ${PERSON('n').surname}), ${WHEN('n::float8 / $CUSTOMERS')}, now()
    FROM generate_series($FROM, $TO) n`,
]

const PRODUCTS = [
  `INSERT INTO product (store_id, id, name, description, price, weight, stock, sku, brand, status, featured, permalink, created_at, updated_at) OVERRIDING SYSTEM VALUE
    SELECT $STORE, n, ${NAME}, '<p>' || repeat('Made to be used every day, and mended when it breaks. ', 3) || '</p>', 5 + n * 37 % 20000 / 100.0, 0.5 + n % 50 / 10.0, 0, 'SKU-' || n,
      'Brand ' || n % 97, CASE n % 20 WHEN 0 THEN 'NOT_AVAILABLE' WHEN 1 THEN 'DISABLED' ELSE 'AVAILABLE' END, n % 50 = 0, 'product-' || n, ${WHEN('n::float8 / $PRODUCTS')}, now()
    FROM generate_series($FROM, $TO) n`,
  `INSERT INTO product_category_member (store_id, category_id, product_id)
    SELECT $STORE, category, n FROM generate_series($FROM, $TO) n, LATERAL (VALUES (1 + n % 20), (21 + n % 200)) AS of (category)`,
  `INSERT INTO product_option (store_id, id, product_id, name, name_key, position) OVERRIDING SYSTEM VALUE SELECT $STORE, n, n, 'Size', 'size', 1 FROM generate_series($FROM, $TO) n`,
  `INSERT INTO product_option_value (store_id, id, product_id, option_id, name, name_key, position) OVERRIDING SYSTEM VALUE
    SELECT $STORE, 3 * n - 3 + i, n, n, (ARRAY['S', 'M', 'L'])[i], (ARRAY['s', 'm', 'l'])[i], i FROM generate_series($FROM, $TO) n, generate_series(1, 3) i`,
  `INSERT INTO file (store_id, id, key, is_public, content_type, byte_count, sha256, filename, created_at) OVERRIDING SYSTEM VALUE
    SELECT $STORE, 2 * n - 2 + i, 'public/$STORE/' || left(hash, 2) || '/' || hash || '.png', true, 'image/png', 2000, '\\x00', 'picture.png', now()
    FROM generate_series($FROM, $TO) n, generate_series(1, 2) i, LATERAL (SELECT md5((2 * n + i)::text) AS hash) AS made`,
  `INSERT INTO product_image (store_id, id, product_id, position, file_id) OVERRIDING SYSTEM VALUE
    SELECT $STORE, 2 * n - 2 + i, n, i, 2 * n - 2 + i FROM generate_series($FROM, $TO) n, generate_series(1, 2) i`,
  `INSERT INTO product_variant (store_id, id, product_id, price, sku, stock, image_id, combination, created_at, updated_at) OVERRIDING SYSTEM VALUE
    SELECT $STORE, 3 * n - 3 + i, n, 5 + n * 37 % 20000 / 100.0 + i, 'SKU-' || n || '-' || (ARRAY['S', 'M', 'L'])[i], 1000000, CASE WHEN i = 1 THEN 2 * n - 1 END, 3 * n - 3 + i, now(), now()
    FROM generate_series($FROM, $TO) n, generate_series(1, 3) i`,
  `INSERT INTO product_variant_value (store_id, product_id, variant_id, value_id)
    SELECT $STORE, n, 3 * n - 3 + i, 3 * n - 3 + i FROM generate_series($FROM, $TO) n, generate_series(1, 3) i`,
  `INSERT INTO inventory_level (store_id, location_id, product_id, variant_id, stock, updated_at)
    SELECT $STORE, (SELECT id FROM location WHERE store_id = $STORE), n, 3 * n - 3 + i, 1000000, now() FROM generate_series($FROM, $TO) n, generate_series(1, 3) i`,
  `INSERT INTO product_search (store_id, product_id, text_key, keys)
    SELECT $STORE, id, concat_ws(E'\\n', key ->> 'name', key ->> 'description', key ->> 'sku', key ->> 'brand', key ->> 'option_name', key ->> 'variants'), key
    FROM product, LATERAL (SELECT jsonb_build_object('name', lower(name), 'description', lower(description), 'brand', lower(brand), 'option_name', 'size',
      'variants', E's\\nm\\nl', 'sku', lower(concat_ws(E'\\n', sku, sku || '-s', sku || '-m', sku || '-l'))) AS key) AS keys
    WHERE store_id = $STORE AND id BETWEEN $FROM AND $TO`,
  `INSERT INTO product_search_word (store_id, word)
    SELECT DISTINCT $STORE, word FROM product, regexp_split_to_table(lower(concat_ws(' ', name, brand)), '[^[:alnum:]]+') AS word
    WHERE store_id = $STORE AND id BETWEEN $FROM AND $TO AND length(word) BETWEEN 3 AND 40 ON CONFLICT DO NOTHING`,
]

const CUSTOMER = '(1 + n * 7919::bigint % $CUSTOMERS)'
const BOUGHT = '(1 + (2 * n + i) * 6151::bigint % $PRODUCTS)'
const STATUS = `CASE WHEN n % 100 < 85 THEN 'PAID' WHEN n % 100 < 93 THEN 'PENDING_PAYMENT' WHEN n % 100 < 97 THEN 'CANCELED' ELSE 'ABANDONED' END`
const SHIPMENT = `CASE WHEN n % 100 < 75 THEN 'DELIVERED' WHEN n % 100 < 80 THEN 'IN_TRANSIT' WHEN n % 100 < 82 THEN 'REQUESTED' ELSE 'UNFULFILLED' END`
const PRICE = (row: string) => `(5 + ${row} * 37 % 20000 / 100.0)`

const ORDERS = [
  `INSERT INTO order_line (store_id, id, order_id, position, product_id, variant_id, sku, name, qty, price, subtotal, total) OVERRIDING SYSTEM VALUE
    SELECT $STORE, 2 * n - 2 + i, n, i, bought, 3 * bought - 2, 'SKU-' || bought || '-S', 'Product ' || bought || ' (S)', i, ${PRICE('bought')}, i * ${PRICE('bought')}, i * ${PRICE('bought')}
    FROM generate_series($FROM, $TO) n, generate_series(1, 2) i, LATERAL (SELECT ${BOUGHT} AS bought) AS of`,
  `INSERT INTO "order" (store_id, id, status, fulfillment_status, shipment_status, currency, subtotal, shipping, total, shipping_option, shipping_method_name, payment_method_name,
      customer_id, customer, shipping_address, billing_address, source, token, search_key, created_at, completed_at, updated_at) OVERRIDING SYSTEM VALUE
    SELECT $STORE, n, ${STATUS}, CASE WHEN n % 100 < 82 THEN 'FULFILLED' ELSE 'UNFULFILLED' END, ${SHIPMENT}, 'EUR', worth, 5, worth + 5, 'DELIVERY', 'Post', 'Card',
      who, jsonb_build_object('email', ${EMAIL('who')}, 'phone', NULL, 'phonePrefix', NULL, 'ip', NULL, 'fullname', ${PERSON('who').name} || ' ' || ${PERSON('who').surname}), ${ADDRESS('who')}, ${ADDRESS('who')},
      '{"createdFrom": "api"}', 'token-' || lpad(n::text, 10, '0'), ${EMAIL('who')} || ' ' || lower(${PERSON('who').name} || ' ' || ${PERSON('who').surname}) || ' sku-' || ${BOUGHT.replace('i)', '1)')} || '-s',
      at, CASE WHEN n % 100 < 97 THEN at END, at
    FROM generate_series($FROM, $TO) n
    CROSS JOIN LATERAL (SELECT ${CUSTOMER} AS who, ${WHEN('n::float8 / $ORDERS')} AS at) AS of
    JOIN (SELECT order_id, sum(subtotal) AS worth FROM order_line WHERE store_id = $STORE AND order_id BETWEEN $FROM AND $TO GROUP BY 1) sums ON order_id = n`,
  `INSERT INTO stock_allocation (store_id, order_line_id, location_id, product_id, variant_id, quantity)
    SELECT $STORE, id, (SELECT id FROM location WHERE store_id = $STORE), product_id, variant_id, qty FROM order_line
    WHERE store_id = $STORE AND order_id BETWEEN $FROM AND $TO AND order_id % 100 < 93`,
  `INSERT INTO order_history (store_id, order_id, message, log, created_at)
    SELECT $STORE, id, 'Pending Payment became Paid.', '{"event": "status", "from": "PENDING_PAYMENT", "to": "PAID"}', created_at FROM "order"
    WHERE store_id = $STORE AND id BETWEEN $FROM AND $TO AND status = 'PAID'`,
  `INSERT INTO ledger_entry (store_id, order_id, kind, amount, currency, created_at)
    SELECT $STORE, id, 'PAYMENT', total, 'EUR', created_at FROM "order" WHERE store_id = $STORE AND id BETWEEN $FROM AND $TO AND status = 'PAID'`,
]
