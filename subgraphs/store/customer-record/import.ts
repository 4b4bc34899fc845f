import { isText, type Problem, problem } from '../../toolkit/validation.ts'
import { customerProblems, emailKey, MAX_CATEGORIES, NEW_CUSTOMER } from '../customer/customer.ts'
import { membershipRepository } from '../customer/membership-repository.ts'
import { customerRepository } from '../customer/repository.ts'
import { defined } from '../record-file/cells.ts'
import type { FileObject } from '../record-file/file-reader.ts'
import type { RecordResult, RowError } from '../record-file/record.ts'
import { parseRecord } from '../record-file/record-schema.ts'
import { permalinkOf } from '../text-key.ts'
import type { UnitOfWork } from '../write.ts'
import {
  CUSTOMER_SCHEMA,
  type CustomerRecord,
  type CustomerRecordInput,
  customerColumn,
  customerOfCsv,
} from './customer-record.ts'
import { ensureCustomerCategories, readCustomers, type StoredCustomerRecord } from './repository.ts'

/** What identifies a customer in a file; empty when it has nothing of the kind that could be looked up. */
export function customerKey(object: FileObject): string {
  const email = emailOf(object)
  return isText(email) ? emailKey(email.trim()) : ''
}

function emailOf(object: FileObject): string {
  if (object.format === 'CSV') return object.rows[0]?.cells.get('Email') ?? ''
  if (object.format === 'UNREADABLE') return ''
  // Other values have no such key.
  const email = (object.value as { readonly email?: unknown } | null)?.email
  return typeof email === 'string' ? email : ''
}

/** Writes a chunk of customers in one transaction. */
export async function importCustomers(
  unit: UnitOfWork,
  objects: readonly FileObject[],
  { overwrite }: { readonly overwrite: boolean },
): Promise<readonly RecordResult[]> {
  const { query, storeId } = unit
  const keys = objects.map(customerKey).filter((key) => key !== '')
  const customers = customerRepository(query)
  const known = keys.length === 0 ? [] : await customers.idsByEmail(storeId, keys)
  const ids = known.map(({ id }) => id).sort((one, other) => one - other)
  if (ids.length > 0) await customers.lockAll(storeId, ids)
  const stored = new Map((await readCustomers(query, storeId, ids)).map((each) => [emailKey(each.record.email), each]))
  const results: RecordResult[] = []
  for (const object of objects)
    results.push(await importCustomer(unit, object, stored.get(customerKey(object)) ?? null, overwrite))
  return results
}

async function importCustomer(
  unit: UnitOfWork,
  object: FileObject,
  before: StoredCustomerRecord | null,
  overwrite: boolean,
): Promise<RecordResult> {
  const { row } = object
  if (object.format === 'UNREADABLE') return { kind: 'failed', errors: [{ row, column: '', message: object.message }] }
  const read = readObject(object, before)
  if ('errors' in read) return { kind: 'failed', errors: read.errors }
  if (before && !overwrite) return { kind: 'skipped' }
  const record = mergedCustomer(before?.record ?? null, read.input, unit.now)
  const isCsv = object.format === 'CSV'
  const problems = [...customerProblems(record, null), ...categoryProblems(record)]
  if (problems.length > 0) return { kind: 'failed', errors: problems.map((each) => errorOf(each, row, isCsv)) }
  if (before && JSON.stringify(before.record) === JSON.stringify(record)) return { kind: 'skipped' }
  return (await writeCustomer(unit, before, record))
    ? { kind: before ? 'updated' : 'created' }
    : { kind: 'failed', errors: [errorOf(problem('email', 'an address that no other customer has', record.email), row, isCsv)] }
}

function readObject(
  object: Exclude<FileObject, { readonly format: 'UNREADABLE' }>,
  before: StoredCustomerRecord | null,
): { readonly input: CustomerRecordInput } | { readonly errors: readonly RowError[] } {
  if (object.format === 'JSON_LINES') {
    const parsed = parseRecord(CUSTOMER_SCHEMA, object.value, object.row)
    return 'errors' in parsed ? parsed : { input: parsed.value }
  }
  const [row] = object.rows
  if (!row) throw new Error('Expected a customer with a row.')
  return customerOfCsv(row, before?.record ?? null)
}

function mergedCustomer(before: CustomerRecord | null, input: CustomerRecordInput, now: Date): CustomerRecord {
  const { createdAt, categories, email, ...fields } = input
  const time = now.toISOString()
  const was: CustomerRecord = before ?? {
    ...NEW_CUSTOMER,
    email,
    acceptedMarketingAt: null,
    cancelledMarketingAt: null,
    categories: [],
    createdAt: createdAt ?? time,
  }
  const record: CustomerRecord = { ...was, email: before ? was.email : email.trim(), ...defined(fields) }
  const isAccepted = record.acceptsMarketing && !was.acceptsMarketing && fields.acceptedMarketingAt === undefined
  const isCancelled = !record.acceptsMarketing && was.acceptsMarketing && fields.cancelledMarketingAt === undefined
  return {
    ...record,
    ...(isAccepted && { acceptedMarketingAt: time }),
    ...(isCancelled && { cancelledMarketingAt: time }),
    categories: categories?.toSorted((one, other) => (one.code < other.code ? -1 : 1)) ?? was.categories,
    createdAt: was.createdAt,
  }
}

const categoryProblems = ({ categories }: CustomerRecord): readonly Problem[] =>
  categories.length > MAX_CATEGORIES
    ? [problem('categories', `a list of at most ${MAX_CATEGORIES}`, categories.length)]
    : categories.flatMap(({ name, code }, index) =>
        permalinkOf(code) === code && name.length <= 100
          ? []
          : [
              problem(
                'categories',
                'categories with codes in lower case and names of at most 100 characters',
                `${index}: ${name}`,
              ),
            ],
      )

const errorOf = ({ field, message }: Problem, row: number, isCsv: boolean): RowError => {
  const column = isCsv ? customerColumn(field) : field
  return { row, column, message: message.replace(`"${field}"`, `"${column}"`) }
}

/** False when another customer got the address meanwhile. */
async function writeCustomer(unit: UnitOfWork, before: StoredCustomerRecord | null, record: CustomerRecord): Promise<boolean> {
  const { query, storeId, now, emit } = unit
  const customers = customerRepository(query)
  const { categories, createdAt, acceptedMarketingAt, cancelledMarketingAt, ...fields } = record
  const stored = {
    ...fields,
    acceptedMarketingAt: acceptedMarketingAt === null ? null : new Date(acceptedMarketingAt),
    cancelledMarketingAt: cancelledMarketingAt === null ? null : new Date(cancelledMarketingAt),
    passwordHash: undefined,
  }
  const id = before?.id ?? (await customers.insert(storeId, stored, new Date(createdAt)))
  if (id === null) return false
  // The address of a customer stays: by it the customer was found.
  if (before) await customers.update(storeId, id, stored, now)
  if (JSON.stringify(before?.record.categories ?? []) !== JSON.stringify(categories)) {
    const rows = await ensureCustomerCategories(query, storeId, categories, now)
    await membershipRepository(query).setCategoriesOf(storeId, id, [...rows.values()])
  }
  emit({ event: before ? 'customer_updated' : 'customer_created', entity: 'Customer', id })
  return true
}
