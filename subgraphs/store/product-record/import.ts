import { excerpt } from '../../../platform/graphql/errors.ts'
import { type Problem, problem } from '../../toolkit/validation.ts'
import { exceeded, type StoreQuotas } from '../quota/quota.ts'
import { storeQuotaRepository } from '../quota/repository.ts'
import { FileFault, type FileObject } from '../record-file/file-reader.ts'
import type { RecordResult, RowError } from '../record-file/record.ts'
import { parseRecord } from '../record-file/record-schema.ts'
import { withSavepoint } from '../savepoint.ts'
import { storeRepository } from '../store/repository.ts'
import type { WeightUnit } from '../store/store.ts'
import type { UnitOfWork } from '../write.ts'
import { changeProduct } from './change.ts'
import { csvErrors, productOfCsv } from './csv.ts'
import { ensureCategories, insertProducts } from './insert-repository.ts'
import { merged } from './merge.ts'
import { PRODUCT_SCHEMA, type ProductInput, type ProductRecord, permalinkOfHandle, recordProblems } from './product-record.ts'
import { idsByPermalink, type PublicUrl, readProducts, type StoredProduct } from './repository.ts'

export type ProductImportOptions = {
  readonly overwrite: boolean
  readonly publicUrl: PublicUrl
  readonly quotas: StoreQuotas
}

/** A product of the file before it is compared with the store's. */
type Read = { readonly input: ProductInput; readonly row: number; readonly variantRows: ReadonlyMap<string, number> | null }

type Planned =
  | { readonly kind: 'created'; readonly record: ProductRecord }
  | { readonly kind: 'updated'; readonly record: ProductRecord; readonly before: StoredProduct; readonly read: Read }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly errors: readonly RowError[] }

/** What identifies a product in a file; empty when it has nothing of the kind. */
export function productKey(object: FileObject): string {
  if (object.format === 'CSV') return keyOf(object.rows[0]?.cells.get('Handle') ?? '')
  if (object.format === 'UNREADABLE') return ''
  // Other values have no such key.
  const permalink = (object.value as { readonly permalink?: unknown } | null)?.permalink
  return typeof permalink === 'string' ? keyOf(permalink) : ''
}

const keyOf = (handle: string): string => (handle.trim() === '' ? '' : permalinkOfHandle(handle.trim()))

/** Writes a chunk of products in one transaction. Throws `FileFault` beyond the quota of the store. */
export async function importProducts(
  unit: UnitOfWork,
  objects: readonly FileObject[],
  { overwrite, publicUrl, quotas }: ProductImportOptions,
): Promise<readonly RecordResult[]> {
  const { query, storeId, now } = unit
  const stores = storeRepository(query)
  const [[store], languages] = await Promise.all([stores.findByIds([storeId]), stores.languagesOf([storeId])])
  const [own, ...others] = languages.map(({ code }) => code)
  const read = objects.map((object) => readObject(object, store?.weightUnit ?? 'KG'))
  const keys = read.flatMap((each) => ('input' in each ? [each.input.permalink] : []))
  const ids = await idsByPermalink(query, storeId, keys)
  const stored = new Map(
    (await readProducts(query, storeId, [...ids.values()], publicUrl)).map((product) => [product.record.permalink, product]),
  )
  const planned = read.map((each): Planned => {
    if ('errors' in each) return { kind: 'failed', errors: each.errors }
    const before = stored.get(each.input.permalink) ?? null
    if (before && !overwrite) return { kind: 'skipped' }
    const record = merged(before, each.input, now)
    const errors = errorsOf(each, [...recordProblems(record), ...languageProblems(record, others, own)], record)
    if (errors.length > 0) return { kind: 'failed', errors }
    if (!before) return { kind: 'created', record }
    return JSON.stringify(record) === JSON.stringify(before.record)
      ? { kind: 'skipped' }
      : { kind: 'updated', record, before, read: each }
  })
  return writePlanned(unit, planned, quotas)
}

async function writePlanned(
  unit: UnitOfWork,
  planned: readonly Planned[],
  quotas: StoreQuotas,
): Promise<readonly RecordResult[]> {
  const records = planned.flatMap((plan) => ('record' in plan ? [plan.record] : []))
  const created = planned.flatMap((plan) => (plan.kind === 'created' ? [plan.record] : []))
  const categories = await ensureCategories(unit, records)
  await insertProducts(unit, created, categories)
  const results: RecordResult[] = []
  for (const plan of planned) {
    if (plan.kind !== 'updated') results.push(plan.kind === 'failed' ? plan : { kind: plan.kind })
    else {
      const { before, record, read } = plan
      const result = await withSavepoint(unit, (part) => changeProduct(part, before, record, categories))
      if (result.__typename === 'UpdateProductSuccess') results.push({ kind: 'updated' })
      else results.push({ kind: 'failed', errors: errorsOf(read, problemsOf(result), record) })
    }
  }
  await takeQuota(unit, created.length, quotas)
  return results
}

/** Counts new products last, so that others of the store wait for the commit only. */
async function takeQuota({ query, storeId }: UnitOfWork, products: number, quotas: StoreQuotas): Promise<void> {
  const quota = storeQuotaRepository(query, quotas)
  const addition = { products, fileBytes: 0 }
  if (products === 0 || (await quota.take(storeId, addition, { isWritten: true }))) return
  throw new FileFault(exceeded(quotas, await quota.usageOf(storeId), addition).message)
}

function readObject(object: FileObject, weightUnit: WeightUnit): Read | { readonly errors: readonly RowError[] } {
  const { row } = object
  if (object.format === 'UNREADABLE') return { errors: [{ row, column: '', message: object.message }] }
  const key = productKey(object)
  if (key === '') {
    const column = object.format === 'CSV' ? 'Handle' : 'permalink'
    return { errors: [{ row, column, message: problem(column, 'the handle of a product', '').message }] }
  }
  if (object.format === 'CSV') {
    const parsed = productOfCsv(object.rows, weightUnit)
    return 'errors' in parsed ? parsed : { ...parsed, input: { ...parsed.input, permalink: key }, row }
  }
  const parsed = parseRecord(PRODUCT_SCHEMA, object.value, row)
  return 'errors' in parsed ? parsed : { input: { ...parsed.value, permalink: key }, row, variantRows: null }
}

const errorsOf = ({ row, variantRows }: Read, problems: readonly Problem[], record: ProductRecord): readonly RowError[] =>
  variantRows
    ? csvErrors(problems, record, { row, variantRows })
    : problems.map(({ field, message }) => ({ row, column: field, message }))

const languageProblems = (
  { translations }: ProductRecord,
  others: readonly string[],
  own: string | undefined,
): readonly Problem[] =>
  translations.flatMap(({ locale }, index) =>
    others.includes(locale)
      ? []
      : [
          problem(
            `translations.${index}.locale`,
            `a language of the store beside ${own} (${others.join(', ') || 'there is none'})`,
            locale,
          ),
        ],
  )

/** What an action of products found, as problems. */
const problemsOf = (
  result: { readonly __typename: string } & ({ readonly errors?: readonly Problem[] } & { readonly message?: string }),
): readonly Problem[] =>
  result.errors ?? [
    { field: '', message: result.message ?? `Expected a change that is permitted, got ${excerpt(result.__typename)}.` },
  ]
