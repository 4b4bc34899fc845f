import { z } from 'zod'
import { ownValue } from '../../../platform/collections/lookup-table.ts'
import { csvField } from '../../../platform/text/csv.ts'
import { type CustomerAddress, type CustomerFields, MAX_CATEGORIES } from '../customer/customer.ts'
import { type CellReader, cellReader, defined } from '../record-file/cells.ts'
import type { CsvRow } from '../record-file/file-reader.ts'
import type { RowError } from '../record-file/record.ts'
import { flag, instant, list, strictObject, text, word } from '../record-file/record-schema.ts'
import { permalinkOf } from '../text-key.ts'

/** A customer as files hold it: without ids and password, and complete. */
export type CustomerRecord = CustomerFields & {
  /** ISO 8601, UTC; null: never. */
  readonly acceptedMarketingAt: string | null
  /** ISO 8601, UTC; null: never. */
  readonly cancelledMarketingAt: string | null
  /** By their codes. */
  readonly categories: readonly CategoryRecord[]
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

/** Category of customers; its code identifies it. */
export type CategoryRecord = { readonly name: string; readonly code: string }

/** What a file says about a customer; absent fields stay as they are. */
export type CustomerRecordInput = { readonly [Field in keyof CustomerRecord]?: CustomerRecord[Field] | undefined } & {
  readonly email: string
}

const ADDRESS = strictObject({
  name: text(200).nullable(),
  surname: text(200).nullable(),
  taxid: text(200).nullable(),
  address: text(200).nullable(),
  city: text(200).nullable(),
  postal: text(200).nullable(),
  municipality: text(200).nullable(),
  region: text(200).nullable(),
  country: text(200).nullable(),
})

/** A customer in a line of JSON. */
export const CUSTOMER_SCHEMA = strictObject({
  email: text(254),
  ...z
    .object({
      phone: text(50).nullable(),
      phonePrefix: text(5).nullable(),
      status: word(['APPROVED', 'PENDING', 'DISABLED']),
      acceptsMarketing: flag(),
      shippingAddress: ADDRESS.nullable(),
      billingAddress: ADDRESS.nullable(),
      acceptedMarketingAt: instant().nullable(),
      cancelledMarketingAt: instant().nullable(),
      categories: list(strictObject({ name: text(100), code: text(100) }), MAX_CATEGORIES),
      createdAt: instant(),
    })
    .partial().shape,
})

/** The columns of Shopify's customer CSV, in its order. */
const COLUMNS = [
  ...['Customer ID', 'First Name', 'Last Name', 'Email', 'Accepts Email Marketing', 'Default Address Company'],
  ...['Default Address Address1', 'Default Address Address2', 'Default Address City', 'Default Address Province Code'],
  ...['Default Address Country Code', 'Default Address Zip', 'Default Address Phone', 'Phone', 'Accepts SMS Marketing'],
  ...['Total Spent', 'Total Orders', 'Note', 'Tax Exempt', 'Tags'],
] as const
type Column = (typeof COLUMNS)[number]

export const CUSTOMER_CSV_HEADER = `${COLUMNS.join(',')}\r\n`

/** Columns by the fields of problems. */
const COLUMN_OF: Readonly<Record<string, Column>> = {
  email: 'Email',
  phone: 'Phone',
  acceptsMarketing: 'Accepts Email Marketing',
  categories: 'Tags',
  'billingAddress.name': 'First Name',
  'billingAddress.surname': 'Last Name',
  'billingAddress.address': 'Default Address Address1',
  'billingAddress.city': 'Default Address City',
  'billingAddress.postal': 'Default Address Zip',
  'billingAddress.region': 'Default Address Province Code',
  'billingAddress.country': 'Default Address Country Code',
}

/** The column of a field of a problem. */
export const customerColumn = (field: string): string =>
  ownValue(COLUMN_OF, field.replace('shippingAddress', 'billingAddress')) ?? field

const NO_ADDRESS: CustomerAddress = {
  ...{ name: null, surname: null, taxid: null, address: null, city: null, postal: null },
  ...{ municipality: null, region: null, country: null },
}

/**
 * What a row of Shopify's CSV says about a customer. Its default address is the billing address, and
 * the shipping address where there was none.
 */
export function customerOfCsv(
  row: CsvRow,
  before: CustomerRecord | null,
): { readonly input: CustomerRecordInput } | { readonly errors: readonly RowError[] } {
  const cells = cellReader<Column>(row)
  const address = addressOf(cells, before?.billingAddress ?? null)
  const phone = cells.text('Phone')
  const isSamePhone = before !== null && phone === phoneOf(before)
  const given = defined({
    acceptsMarketing: cells.flag('Accepts Email Marketing', ['yes', 'no']),
    ...(phone !== undefined && !isSamePhone && { phone, phonePrefix: null }),
    categories: tagsOf(cells),
    billingAddress: address,
    shippingAddress: before?.shippingAddress ? undefined : address,
  })
  return cells.errors.length > 0 ? { errors: cells.errors } : { input: { email: cells.text('Email') ?? '', ...given } }
}

/** The address with what the row has of it; undefined: nothing. */
function addressOf(cells: CellReader<Column>, before: CustomerAddress | null): CustomerAddress | null | undefined {
  const [first, second] = [cells.text('Default Address Address1'), cells.text('Default Address Address2')]
  const changed = defined({
    name: cells.text('First Name'),
    surname: cells.text('Last Name'),
    address: first === undefined ? undefined : [first, second].filter((line) => line != null).join(', ') || null,
    city: cells.text('Default Address City'),
    postal: cells.text('Default Address Zip'),
    region: cells.text('Default Address Province Code'),
    country: cells.text('Default Address Country Code'),
  })
  if (Object.keys(changed).length === 0) return undefined
  const address: CustomerAddress = { ...(before ?? NO_ADDRESS), ...changed }
  return Object.values(address).every((part) => part === null) ? null : address
}

function tagsOf(cells: CellReader<Column>): readonly CategoryRecord[] | undefined {
  const tags = cells.text('Tags')
  if (tags === undefined) return undefined
  const names = (tags ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return [...new Map(names.map((name) => [permalinkOf(name), name]))].map(([code, name]) => ({ name, code }))
}

const phoneOf = ({ phone, phonePrefix }: Pick<CustomerFields, 'phone' | 'phonePrefix'>): string | null =>
  phone === null ? null : `${phonePrefix ?? ''}${phone}`

/** A row of Shopify's CSV for a customer. */
export function csvOfCustomer(id: number, customer: CustomerRecord): string {
  const address = customer.billingAddress ?? customer.shippingAddress
  const row: Partial<Record<Column, string | number>> = {
    'Customer ID': id,
    'First Name': address?.name ?? '',
    'Last Name': address?.surname ?? '',
    Email: customer.email,
    'Accepts Email Marketing': customer.acceptsMarketing ? 'yes' : 'no',
    'Default Address Address1': address?.address ?? '',
    'Default Address City': address?.city ?? '',
    'Default Address Province Code': address?.region ?? '',
    'Default Address Country Code': address?.country ?? '',
    'Default Address Zip': address?.postal ?? '',
    Phone: phoneOf(customer) ?? '',
    'Accepts SMS Marketing': 'no',
    'Tax Exempt': 'no',
    Tags: customer.categories.flatMap(({ name }) => (name.includes(',') ? [] : [name])).join(', '),
  }
  return `${COLUMNS.map((column) => csvField(row[column] ?? '')).join(',')}\r\n`
}
