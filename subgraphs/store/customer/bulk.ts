import { type Problem, problem, validationError } from '../../toolkit/validation.ts'
import type { Versioned } from '../input.ts'
import { withSavepoint } from '../savepoint.ts'
import type { UnitOfWork } from '../write.ts'
import { type CustomerInput, createCustomer, passwordHashOf, updateCustomer } from './actions.ts'

type Keyed = { readonly idempotencyKey?: string | null | undefined }
type NewRow = CustomerInput & Keyed
type ChangedRow = { readonly id: string; readonly input: CustomerInput & Versioned & Keyed }
type ErrorPolicy = 'ALL_OR_NOTHING' | 'SKIP'

const MAX_ROWS = 100

type Failure = Exclude<
  Awaited<ReturnType<typeof createCustomer>> | Awaited<ReturnType<typeof updateCustomer>>,
  { readonly customer: number }
>

/** What became of one row: the customer's, or why it was refused. */
export type BulkRow = { readonly index: number; readonly customer: number | null; readonly failure: Failure | null }

/**
 * Stored hashes of the passwords of rows, computed one after another: other requests need the
 * threads as well.
 */
export async function passwordHashesOf(rows: readonly CustomerInput[]): Promise<readonly (string | null | undefined)[]> {
  const hashes: (string | null | undefined)[] = []
  for (const row of rows.slice(0, MAX_ROWS)) hashes.push(await passwordHashOf(row))
  return hashes
}

/** Creates customers. `hashes` are those of their passwords. */
export const bulkCreateCustomers = (
  unit: UnitOfWork,
  { customers, onError }: { readonly customers: readonly NewRow[]; readonly onError: ErrorPolicy },
  hashes: readonly (string | null | undefined)[],
) => eachRow(unit, customers, onError, (within, row, index) => keyless(row) ?? createCustomer(within, row, hashes[index]))

/** Changes customers, in their order. `hashes` are those of their passwords. */
export const bulkUpdateCustomers = (
  unit: UnitOfWork,
  { customers, onError }: { readonly customers: readonly ChangedRow[]; readonly onError: ErrorPolicy },
  hashes: readonly (string | null | undefined)[],
) =>
  eachRow(
    unit,
    customers,
    onError,
    (within, { id, input }, index) => keyless(input) ?? updateCustomer(within, id, input, hashes[index]),
  )

async function eachRow<Row>(
  unit: UnitOfWork,
  rows: readonly Row[],
  onError: ErrorPolicy,
  change: (within: UnitOfWork, row: Row, index: number) => RowResult | Promise<RowResult>,
) {
  if (rows.length === 0 || rows.length > MAX_ROWS) return validationError([numberProblem(rows.length)])
  const done: BulkRow[] = []
  for (const [index, row] of rows.entries()) {
    const result = await withSavepoint(unit, async (within) => change(within, row, index))
    done.push(
      'customer' in result ? { index, customer: result.customer, failure: null } : { index, customer: null, failure: result },
    )
  }
  const refused = done.filter(({ failure }) => failure !== null).length
  if (refused === 0 || onError === 'SKIP') return { __typename: 'BulkCustomersSuccess' as const, rows: done }
  return {
    __typename: 'BulkCustomersRefused' as const,
    message: `${refused} of ${rows.length} customers were refused, so nothing was changed.`,
    rows: done.map((row) => ({ ...row, customer: null })),
  }
}

type RowResult = Failure | { readonly __typename: `${string}Success`; readonly customer: number }

const numberProblem = (count: number): Problem => problem('customers', `1 to ${MAX_ROWS} customers`, count)

/** One key is for the whole: rows that are done again alone would be done twice. */
const keyless = ({ idempotencyKey }: Keyed) =>
  idempotencyKey == null ? null : validationError([problem('idempotencyKey', 'absent in a row', idempotencyKey)])
