import { notFoundError, type Problem, problem, problemsIn, textProblem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { MAX_SOURCE_LENGTH } from '../order-record/imported-order.ts'
import type { RecordFormat, RecordKind } from '../record-file/record.ts'
import { conflictError, type UnitOfWork } from '../write.ts'
import { storeImportRepository } from './repository.ts'
import {
  DEFAULT_SOURCE,
  isOpen,
  MAX_FILE_BYTES,
  MAX_FILE_NAME_LENGTH,
  MAX_OPEN_IMPORTS,
  MAX_PIECE_BYTES,
  type StoreImport,
} from './store-import.ts'

type NewImport = {
  readonly kind: RecordKind
  readonly format: RecordFormat
  readonly isDryRun?: boolean | null | undefined
  readonly overwrite?: boolean | null | undefined
  readonly source?: string | null | undefined
  readonly takesStock?: boolean | null | undefined
  readonly sendsEvents?: boolean | null | undefined
  readonly fileName?: string | null | undefined
}

const success = (storeImport: number) => ({ __typename: 'StoreImportSuccess' as const, storeImport })

/** Begins an import without a file. */
export async function createStoreImport({ query, storeId, now }: UnitOfWork, input: NewImport) {
  const { kind, format, isDryRun, overwrite, fileName = null } = input
  const problems = problemsIn([
    fileName === null ? null : textProblem('fileName', fileName, MAX_FILE_NAME_LENGTH),
    ...orderProblems(input),
  ])
  if (problems.length > 0) return validationError(problems)
  const imports = storeImportRepository(query)
  const open = await imports.countOpen(storeId)
  if (open >= MAX_OPEN_IMPORTS)
    return conflictError(`Expected at most ${MAX_OPEN_IMPORTS} imports that have not ended: wait for one, or cancel it.`)
  const made = {
    ...{ kind, format, isDryRun: isDryRun ?? false, overwrite: overwrite ?? false, fileName },
    source: kind === 'ORDERS' ? (input.source?.trim() ?? DEFAULT_SOURCE) : null,
    ...{ takesStock: input.takesStock ?? false, sendsEvents: input.sendsEvents ?? false },
  }
  return success(await imports.insert(storeId, made, now))
}

/** Problems of what only orders have, and of what they do not have. */
function orderProblems({ kind, overwrite, source, takesStock, sendsEvents }: NewImport): readonly (Problem | null)[] {
  if (kind === 'ORDERS')
    return [
      source == null ? null : textProblem('source', source, MAX_SOURCE_LENGTH),
      overwrite === true ? problem('overwrite', 'absent or false: imported orders are not changed', overwrite) : null,
    ]
  const absent = (field: string, value: string | boolean | null | undefined) =>
    value == null || value === false ? null : problem(field, 'absent: only an import of ORDERS has it', value)
  return [absent('source', source), absent('takesStock', takesStock), absent('sendsEvents', sendsEvents)]
}

/** Adds a piece of the file, once. */
export async function appendToStoreImport(
  unit: UnitOfWork,
  id: string,
  { start, bytes: encoded }: { readonly start: number; readonly bytes: string },
) {
  const { query, storeId } = unit
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(encoded) && encoded.length % 4 === 0
  const bytes = Buffer.from(encoded, 'base64')
  if (!isBase64 || bytes.length === 0 || bytes.length > MAX_PIECE_BYTES)
    return validationError([problem('bytes', `1 to ${MAX_PIECE_BYTES} bytes in base64`, encoded)])
  const found = await lockedImport(unit, id)
  if (!found) return notFoundError('import', id)
  if (found.status !== 'RECEIVING') return notOfStatus(found, 'RECEIVING')
  if (start < found.byteCount) {
    const stored = await storeImportRepository(query).piece(storeId, found.id, start)
    if (stored?.equals(bytes)) return success(found.id)
  }
  if (start !== found.byteCount)
    return conflictError(`Expected the piece that begins behind ${found.byteCount} bytes, got one behind ${start}.`)
  if (start + bytes.length > MAX_FILE_BYTES)
    return validationError([problem('bytes', `the end of a file of at most ${MAX_FILE_BYTES} bytes`, start + bytes.length)])
  await storeImportRepository(query).append(storeId, found.id, start, bytes)
  return success(found.id)
}

/** Queues an import whose file is complete. */
export async function startStoreImport(unit: UnitOfWork, id: string) {
  const found = await lockedImport(unit, id)
  if (!found) return notFoundError('import', id)
  if (found.byteCount === 0) return validationError([problem('id', 'an import with a file of at least one byte', id)])
  if (found.status === 'CANCELED') return notOfStatus(found, 'RECEIVING')
  if (found.status === 'RECEIVING') await storeImportRepository(unit.query).queue(unit.storeId, found.id)
  return success(found.id)
}

/** Ends an import; the chunk that is being written is written first. */
export async function cancelStoreImport(unit: UnitOfWork, id: string) {
  const found = await lockedImport(unit, id)
  if (!found) return notFoundError('import', id)
  if (found.status === 'CANCELED') return success(found.id)
  if (!isOpen(found.status)) return notOfStatus(found, 'RECEIVING, QUEUED or RUNNING')
  await storeImportRepository(unit.query).finish(unit.storeId, found.id, { status: 'CANCELED' }, unit.now)
  return success(found.id)
}

const lockedImport = ({ query, storeId }: UnitOfWork, id: string): Promise<StoreImport | null> =>
  storeImportRepository(query).lock(storeId, decodeId(id, 'StoreImport') ?? 0)

const notOfStatus = ({ status }: StoreImport, wanted: string) =>
  conflictError(`Expected an import that is ${wanted}, got one that is ${status}.`)
