import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { identityKey, permalinkOf, textKey } from '../../../subgraphs/store/text-key.ts'
import { createDatabase } from '../../support/create-database.ts'
import { changer } from './support/change.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

describe('names', () => {
  test.each([
    ['ガラス', 'カラス'],
    ['ハリ', 'バリ'],
    ['2⁵', '25'],
    ['10 m²', '10 m2'],
    ['CAFÉ', 'CAFE'],
    ['नीला', 'नील'],
    ['ไหม้', 'ไหม'],
  ])('%s and %s are two', (one, other) => {
    expect(identityKey(one)).not.toBe(identityKey(other))
  })

  test.each([
    ['CAFÉ', 'cafe\u0301'],
    ['  Dark \u00a0 blue ', 'dark blue'],
    ['ガラス', 'カ\u3099ラス'],
    ['ΟΔΌΣ', 'οδός'],
  ])('%j and %j are one', (one, other) => {
    expect(identityKey(one)).toBe(identityKey(other))
  })
})

test.each([
  ['Café  Ñandú', 'cafe nandu'],
  ['Ελλάδα', 'ελλαδα'],
  ['Йод', 'иод'],
  ['m²', 'm2'],
  ['❤\ufe0f', '❤'],
  ['أحمد', 'احمد'],
  ['कपड़ा', 'कपड\u093cा'],
])('search reads %j as %j', (text, key) => {
  expect(textKey(text)).toBe(key)
})

test.each([
  ['Café & Crème', 'cafe-creme'],
  ['पीला कपड़ा', 'पीला-कपड\u093cा'],
  ['グラス', 'グラス'],
  ['ไหม้', 'ไหม้'],
  ['한국', '한국'],
  ['\u093e—', 'item'],
])('the address of %j is %j', (text, permalink) => {
  expect(permalinkOf(text)).toBe(permalink)
})

describe('what was written before', () => {
  const migrationOf = (name: string) =>
    readFileSync(join(import.meta.dirname, '../../../prisma/store/migrations', name, 'migration.sql'), 'utf8')
  const NAME_KEYS = migrationOf('20261124090000_name_keys')
  /**
   * The next one, which made one row of those that the texts of a product had in `product_search`.
   */
  const PRODUCT_SEARCH = migrationOf('20261124100000_product_search')
  const TRICKY = [
    'ガラス',
    'カラス',
    '2⁵',
    '25',
    'CAFÉ',
    'CAFE',
    'ΟΔΌΣ  Ση',
    'İzmir',
    'ẞ',
    'Ж\u00a0Ё',
    'Dž',
    'पीला',
    'ไหม้',
    'Plain',
  ]
  let stack: StoreStack
  let shop: TestStore
  let change: ReturnType<typeof changer>
  beforeAll(async () => {
    stack = await startStore()
    shop = await stack.aStore()
    change = changer(stack, {
      Product: 'number',
      Promotion: 'number',
      CustomField: 'number',
      Order: 'number',
      Customer: 'number',
    })
  })
  afterAll(() => stack.close())

  test('gets the current keys of uniqueness and search', async () => {
    const keys = await written()
    const names = await named()
    for (const [table, column] of [
      ['product_option', 'name_key'],
      ['product_option_value', 'name_key'],
      ['custom_field', 'label_key'],
      ['custom_field_select_option', 'value_key'],
      ['coupon', 'code_key'],
    ] as const)
      await stack.sql(`UPDATE ${table} SET ${column} = 'old ' || id`)
    await stack.sql(`
      CREATE TABLE by_field AS SELECT store_id, product_id, field, text AS text_key
        FROM product_search, jsonb_each_text(keys) AS of (field, texts), string_to_table(texts, E'\\n') AS text;
      DROP TABLE product_search;
      ALTER TABLE by_field RENAME TO product_search;
      CREATE INDEX product_search_owner ON product_search (product_id);
      CREATE INDEX product_search_text ON product_search (field)`)
    // As they were before, without any sign.
    for (const [table, column] of [
      ['product_search', 'text_key'],
      ['customer', 'search_key'],
      ['"order"', 'search_key'],
    ] as const)
      await stack.sql(
        `UPDATE ${table} SET ${column} = regexp_replace(${column}, '[\\u0900-\\u0903\\u093a-\\u094f\\u0e31\\u0e34-\\u0e3a\\u0e47-\\u0e4e\\u3099]', '', 'g')`,
      )
    const broken = await named()
    for (const name of names.filter(({ what }) => what !== 'customer' && what !== 'order'))
      expect(broken).not.toContainEqual(name)
    for (const kind of ['customer', 'order'])
      expect(broken.filter(({ what }) => what === kind)).not.toEqual(names.filter(({ what }) => what === kind))
    expect(await stack.sql(`SELECT text_key FROM product_search WHERE text_key LIKE '%पीला%'`)).toEqual([])
    await stack.sql(NAME_KEYS + PRODUCT_SEARCH)
    expect(await found()).toEqual(keys)
  })

  test('gets the same keys in a database with the C locale, or an error that names the required one', async () => {
    const plain = await createDatabase(
      inject('databaseUrl'),
      'template0',
      `ENCODING UTF8 LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc`,
    )
    const client = new pg.Client(plain.connection)
    try {
      await client.connect()
      const [functions = ''] = NAME_KEYS.split('-- No two rows can clash.')
      const { rows } = await client.query(
        `SELECT lower('Д') AS lowered, EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AS "hasUnicode"`,
      )
      expect(rows[0].lowered).toBe('Д')
      if (!rows[0].hasUnicode) {
        await expect(client.query(functions)).rejects.toThrow('create it with a locale of UTF-8')
        return
      }
      await client.query(functions)
      for (const text of [...TRICKY, 'СКИДКА Œ Ł', 'ΟΔΌΣ', 'Ελλάδα', 'أحمد', ' Dark \u00a0 BLUE ']) {
        const { rows: keys } = await client.query(
          'SELECT pg_temp.identity_key($1) AS identity, pg_temp.search_key($1) AS search',
          [text],
        )
        expect(keys[0], text).toEqual({ identity: identityKey(text), search: textKey(text) })
      }
    } finally {
      await client.end()
      await plain.drop()
    }
  })

  /** Writes something with every kind of key, and gives these. */
  async function written() {
    const variants = TRICKY.map((value) => ({ options: [{ name: 'पीला', value }] }))
    const product = { name: 'पीला कपड़ा ㌔', price: '1', description: 'グラス ＡＢ', brand: 'Café', variants }
    const made = await change(shop, 'createProduct', { input: product })
    const coupons = TRICKY.filter((code) => !/\s/.test(code)).map((code) => ({ code }))
    await change(shop, 'createPromotion', { input: { name: 'x', discountAmountPercent: '5', coupons } })
    const values = TRICKY
    await change(shop, 'createCustomField', { input: { label: 'ガラス', type: 'SELECTION', values } })
    const address = { name: 'ज़ोया', surname: 'Ámbar', country: 'IN' }
    const customer = {
      email: 'zoya@example.org',
      phone: '12 34',
      phonePrefix: '+91',
      shippingAddress: address,
      billingAddress: address,
    }
    await change(shop, 'createCustomer', { input: customer })
    const lines = [{ productId: String(made.product.number), quantity: 1, variantId: await aVariant() }]
    const { data } = await stack.ask(shop, 'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { __typename } }', {
      input: { customer: { email: 'zoya@example.org' }, lines },
    })
    expect(data.createOrder.__typename).toBe('CreateOrderSuccess')
    return found()
  }

  async function aVariant(): Promise<string> {
    const [row] = await stack.sql('SELECT min(id)::text AS id FROM product_variant WHERE store_id = $1', [shop.storeId])
    return String(row?.id)
  }

  const found = async () => [...(await named()), ...(await searched())]
  const named = () =>
    stack.sql(`
      SELECT 'option' AS what, name_key AS key FROM product_option UNION ALL SELECT 'value', name_key FROM product_option_value
      UNION ALL SELECT 'field', label_key FROM custom_field UNION ALL SELECT 'choice', value_key FROM custom_field_select_option
      UNION ALL SELECT 'coupon', code_key FROM coupon UNION ALL SELECT 'customer', search_key FROM customer
      UNION ALL SELECT 'order', search_key FROM "order" ORDER BY 1, 2`)
  const searched = () =>
    stack.sql(`
      SELECT 'text of product' AS what, string_to_table(text_key, E'\\n') AS key FROM product_search
      UNION ALL SELECT 'product ' || field, string_to_table(key, E'\\n') FROM product_search, jsonb_each_text(keys) AS of (field, key) ORDER BY 1, 2`)
})
