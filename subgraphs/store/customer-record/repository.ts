import { type Kysely, sql } from 'kysely'
import { customerRepository } from '../customer/repository.ts'
import type { Tables } from '../tables.ts'
import type { CategoryRecord, CustomerRecord } from './customer-record.ts'

/** A customer of the store as files hold it. */
export type StoredCustomerRecord = { readonly id: number; readonly record: CustomerRecord }

/** These customers as files hold them, by id. */
export async function readCustomers(
  database: Kysely<Tables>,
  storeId: number,
  ids: readonly number[],
): Promise<readonly StoredCustomerRecord[]> {
  if (ids.length === 0) return []
  const [customers, members] = await Promise.all([
    customerRepository(database).findByIds(storeId, ids),
    sql<CategoryRecord & { readonly customerId: number }>`
      SELECT member.customer_id AS "customerId", category.name, category.code
      FROM customer_category_member member
      JOIN customer_category category ON category.store_id = member.store_id AND category.id = member.category_id
      WHERE member.store_id = ${storeId} AND member.customer_id = ANY(${ids}::integer[])
      ORDER BY category.code COLLATE "C"`.execute(database),
  ])
  const categoriesOf = Map.groupBy(members.rows, ({ customerId }) => customerId)
  return customers
    .toSorted((one, other) => one.id - other.id)
    .map((customer) => ({
      id: customer.id,
      record: {
        email: customer.email,
        phone: customer.phone,
        phonePrefix: customer.phonePrefix,
        status: customer.status,
        acceptsMarketing: customer.acceptsMarketing,
        shippingAddress: ordered(customer.shippingAddress),
        billingAddress: ordered(customer.billingAddress),
        acceptedMarketingAt: customer.acceptedMarketingAt?.toISOString() ?? null,
        cancelledMarketingAt: customer.cancelledMarketingAt?.toISOString() ?? null,
        categories: (categoriesOf.get(customer.id) ?? []).map(({ name, code }) => ({ name, code })),
        createdAt: customer.createdAt.toISOString(),
      },
    }))
}

/** jsonb has an order of keys of its own. */
const ordered = (address: CustomerRecord['billingAddress']): CustomerRecord['billingAddress'] =>
  address && {
    name: address.name,
    surname: address.surname,
    taxid: address.taxid,
    address: address.address,
    city: address.city,
    postal: address.postal,
    municipality: address.municipality,
    region: address.region,
    country: address.country,
  }

/** Rows of categories by their codes; those that are missing are made. */
export async function ensureCustomerCategories(
  database: Kysely<Tables>,
  storeId: number,
  categories: readonly CategoryRecord[],
  at: Date,
): Promise<ReadonlyMap<string, number>> {
  const names = new Map(categories.map(({ code, name }) => [code, name]))
  if (names.size === 0) return new Map()
  const wanted = [...names].sort(([one], [other]) => (one < other ? -1 : 1))
  await sql`
    INSERT INTO customer_category (store_id, name, code, created_at, updated_at)
    SELECT ${storeId}, name, code, ${at}, ${at}
    FROM unnest(${wanted.map(([, name]) => name)}::text[], ${wanted.map(([code]) => code)}::text[]) AS wanted (name, code)
    ON CONFLICT (store_id, code) DO NOTHING`.execute(database)
  const { rows } = await sql<{ readonly id: number; readonly code: string }>`
    SELECT id, code FROM customer_category
    WHERE store_id = ${storeId} AND code = ANY(${wanted.map(([code]) => code)}::text[])`.execute(database)
  return new Map(rows.map(({ id, code }) => [code, id]))
}
