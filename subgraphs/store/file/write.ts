import { problem, validationError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { exceeded } from '../quota/quota.ts'
import { storeQuotaRepository } from '../quota/repository.ts'
import type { UnitOfWork } from '../write.ts'
import type { FileKind } from './file.ts'
import { type FileRepository, fileRepository } from './repository.ts'

/** Result of a change that would succeed with its file. It is rolled back. */
export const NEEDS_FILE = { __typename: 'NeedsFile' } as const

export type WithFile = {
  /** Where the file is: an http, https or data URL. */
  readonly url: string
  readonly kind: FileKind
  /** What the client calls it. */
  readonly name: string | null
}

/** Longest URL that is fetched. Data URLs are as long as a request may be. */
const MAX_URL_LENGTH = 2_048

/**
 * Runs a change that refers to a file elsewhere. `change` runs without the file first, and answers
 * `NEEDS_FILE` when that is all it lacks: so nothing is fetched for a refused or repeated change,
 * and no transaction is open during the download. Then it runs with the row of the file.
 */
export async function writeWithFile<Result extends { readonly __typename: string }>(
  context: Context,
  name: string,
  input: Parameters<Context['write']>[1],
  { url, kind, name: given }: WithFile,
  change: (unit: UnitOfWork, file: number | null) => Promise<Result | typeof NEEDS_FILE>,
) {
  const { write, files, fileRecords, storeId, now } = context
  const tried = await write(name, input, (unit) => change(unit, null))
  if (!needsFile(tried)) return tried

  const isData = /^data:/i.test(url)
  if (!isData && url.length > MAX_URL_LENGTH)
    return validationError([problem('url', `at most ${MAX_URL_LENGTH} characters long`, url)])
  const store = await storeId()
  let file = 0
  const keeping = files.keep(url, kind, {
    storeId: store,
    name: given,
    record: async (stored) => {
      const sourceUrl = isData ? null : withoutSecrets(url)
      file = await recordWithinQuota(context, store, { ...stored, sourceUrl, at: now() })
    },
  })
  const cached = await keeping.catch((error: unknown) => {
    if (error instanceof OverQuota) return { kind: 'over quota' as const, result: error.result }
    throw error
  })
  if (cached.kind === 'over quota') return cached.result
  if (cached.kind === 'refused') {
    return validationError([{ field: 'url', message: `Expected "url" ${cached.expectation}.` }])
  }
  const result = await write(name, input, (unit) => change(unit, file))
  // Changed in between, or repeated: the file is not referenced.
  await fileRecords.sweep({ storeId: store, ids: [file] }, files.delete)
  if (needsFile(result)) throw new Error('Expected the change to be content with its file.')
  return result
}

/** Rolls the file back, and carries the result. */
class OverQuota {
  readonly result: ReturnType<typeof exceeded>
  constructor(written: ReturnType<typeof exceeded>) {
    this.result = written
  }
}

/** The row of a file, counted with it. Throws `OverQuota` beyond the quota of the store. */
const recordWithinQuota = (
  { database, quota: { quotas } }: Context,
  storeId: number,
  record: Parameters<FileRepository['insert']>[1],
): Promise<number> =>
  database.transaction().execute(async (query) => {
    const quota = storeQuotaRepository(query, quotas)
    const addition = { products: 0, fileBytes: record.bytes }
    if (!(await quota.take(storeId, addition, { isWritten: false }))) {
      throw new OverQuota(exceeded(quotas, await quota.usageOf(storeId), addition))
    }
    return fileRepository(query).insert(storeId, record)
  })

const needsFile = (response: { readonly __typename: string }): response is typeof NEEDS_FILE =>
  response.__typename === 'NeedsFile'

/**
 * The outcome of a deletion, when the bytes of the file that it names are gone as well. What fails
 * there is only logged: a later sweep does it. A repetition finds nothing left to do.
 */
export async function deletingFile<Result extends { readonly __typename: string; readonly file?: number | null }>(
  { files, fileRecords, storeId, log }: Context,
  deletion: Promise<Result>,
): Promise<Result> {
  const result = await deletion
  if (result.file == null) return result
  try {
    await fileRecords.sweep({ storeId: await storeId(), ids: [result.file] }, files.delete)
  } catch (error) {
    log.warn({ err: error }, 'a file that nothing refers to could not be removed yet')
  }
  return result
}

/** Links to private files carry their permission in the query. */
const withoutSecrets = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
