import type { Readable } from 'node:stream'
import pino, { type Logger } from 'pino'
import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { PLAIN_SECRETS, type SecretCipher } from '../../../platform/secrets/cipher.ts'
import type { JobQueues } from '../job-queue.ts'
import type { StoreQuotas } from '../quota/quota.ts'
import type { RecordFormat, RecordKind } from '../record-file/record.ts'
import { storeRepository } from '../store/repository.ts'
import { exportPage } from '../store-export/export.ts'
import { appendToStoreImport, cancelStoreImport, createStoreImport, startStoreImport } from '../store-import/actions.ts'
import { type StoredRowError, storeImportRepository } from '../store-import/repository.ts'
import { MAX_PIECE_BYTES, MAX_STORED_ERRORS, type StoreImport } from '../store-import/store-import.ts'
import { runStoreImport, type StoreImportDeps } from '../store-import/worker.ts'
import type { Tables } from '../tables.ts'
import type { DeliveryPlan } from '../webhook-delivery/plan.ts'
import { type Announce, write } from '../write.ts'

/** An import as an operator requests it. */
type ImportRequest = {
  readonly kind: RecordKind
  readonly format: RecordFormat
  readonly overwrite: boolean
  readonly isDryRun: boolean
  /** Of orders only: where they come from, whether they reserve stock, and whether webhooks get them. */
  readonly source?: string | undefined
  readonly takesStock?: boolean | undefined
  readonly sendsEvents?: boolean | undefined
  readonly fileName: string | null
}

/** What an operator imports into and exports from one store. */
export type StoreRecords = {
  /** Stores a file, and queues its import; its number. Throws an `OperatorError` when it is refused. */
  readonly queue: (file: Readable, request: ImportRequest) => Promise<number>
  /** Runs an import to its end, unless another process does. Null: there is no such import. */
  readonly run: (id: number, signal: AbortSignal, onProgress: (about: StoreImport) => void) => Promise<StoreImport | null>
  /** Stored errors of an import, oldest first. */
  readonly errors: (id: number) => Promise<readonly StoredRowError[]>
  /** The pieces of an export. */
  readonly export: (kind: RecordKind, format: RecordFormat) => AsyncIterable<string>
}

/** Between looks at an import that another process runs. Milliseconds. */
const PROGRESS_INTERVAL_MS = 500
/** How long an import belongs to this process. Milliseconds. */
const LEASE_MS = 60_000
/** Objects of a piece of an export. */
const EXPORT_PAGE_SIZE = 250

/** Runs `work` on a store of a migrated database. Throws an `OperatorError` without such a store. */
export async function withRecords<Result>(
  connection: Connection,
  {
    code,
    quotas,
    publicUrl,
    secrets = PLAIN_SECRETS,
  }: {
    readonly code: string
    readonly quotas: StoreQuotas
    readonly publicUrl: (key: string) => string
    readonly secrets?: SecretCipher
  },
  work: (records: StoreRecords) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase<Tables>(connection, { schema: 'store', max: 2, onError: () => {} })
  const log = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }))
  const webhooks = webhooksOf(connection, log)
  try {
    const storeId = await storeRepository(database.query).idOf(code)
    if (storeId === null) throw new OperatorError(`There is no store with the code "${code}"; \`atrium store list\` shows them.`)
    const now = () => new Date()
    const deps: StoreImportDeps = {
      ...{
        database: database.query,
        quotas,
        publicUrl,
        now,
        log,
      },
      writeStore: (id, change) =>
        write(
          database.query,
          // Deliveries are planned in the transaction, and made by a server; subscribers get events from the feed.
          { storeId: id, now: now(), announce: webhooks.announce, secrets, by: null },
          { name: 'import', input: null, key: null },
          change,
        ),
    }
    return await work(recordsOf(deps, storeId))
  } finally {
    await webhooks.close()
    await database.close()
  }
}

/** The queue of webhooks, which is opened with the first event. */
function webhooksOf(connection: Connection, log: Logger): { readonly announce: Announce; readonly close: () => Promise<void> } {
  let opened: Promise<{ readonly queues: JobQueues; readonly plan: DeliveryPlan }> | null = null
  const open = async () => {
    const [{ startJobQueues }, { deliveryJobs }, { deliveryPlan }] = await Promise.all([
      import('../job-queue.ts'),
      import('../webhook-delivery/jobs.ts'),
      import('../webhook-delivery/plan.ts'),
    ])
    const queues = await startJobQueues(connection, { log })
    return { queues, plan: deliveryPlan(await deliveryJobs(queues)) }
  }
  return {
    async announce(unit, delivered) {
      opened ??= open()
      await (await opened).plan.announce(unit, delivered)
    },
    async close() {
      await (await opened)?.queues.close()
    },
  }
}

function recordsOf(deps: StoreImportDeps, storeId: number): StoreRecords {
  const imports = storeImportRepository(deps.database)
  return {
    async queue(file, request) {
      const created = await deps.writeStore(storeId, (unit) => createStoreImport(unit, request))
      if (!('storeImport' in created)) throw new OperatorError(created.message)
      const id = String(created.storeImport)
      let start = 0
      try {
        for await (const piece of piecesOf(file)) {
          const input = { start, bytes: piece.toString('base64') }
          const appended = await deps.writeStore(storeId, (unit) => appendToStoreImport(unit, id, input))
          if (!('storeImport' in appended)) throw new OperatorError(appended.message)
          start += piece.length
        }
        const started = await deps.writeStore(storeId, (unit) => startStoreImport(unit, id))
        if (!('storeImport' in started)) throw new OperatorError(started.message)
      } catch (error) {
        // Otherwise it would count among the open imports for a day.
        await deps.writeStore(storeId, (unit) => cancelStoreImport(unit, id))
        throw error
      }
      return created.storeImport
    },
    async run(id, signal, onProgress) {
      const at = deps.now()
      const taken = await imports.take(at, new Date(at.getTime() + LEASE_MS), { storeId, id })
      const running = taken && runStoreImport(deps, taken, signal)
      let isDone = false
      const done = running?.finally(() => {
        isDone = true
      })
      for (;;) {
        const [about] = await imports.findByIds(storeId, [id])
        if (!about) return null
        if (about.status === 'RECEIVING')
          throw new OperatorError(`Import ${id} has only a part of its file, and cannot go on: import the file again.`)
        if (about.finishedAt !== null || signal.aborted || (taken && isDone)) {
          await done
          return (await imports.findByIds(storeId, [id]))[0] ?? null
        }
        onProgress(about)
        await new Promise((resolve) => setTimeout(resolve, PROGRESS_INTERVAL_MS))
      }
    },
    errors: (id) => imports.errorsOf(storeId, [id], { size: MAX_STORED_ERRORS, after: null, offset: 0 }),
    async *export(kind, format) {
      const source = { query: deps.database, storeId, publicUrl: deps.publicUrl }
      for (let after = 0; ; ) {
        const page = await exportPage(source, { kind, format, after, size: EXPORT_PAGE_SIZE })
        yield page.text
        if (!page.hasNextPage || page.lastId === null) return
        after = page.lastId
      }
    },
  }
}

/** The bytes of a file in pieces of the size that is stored. */
async function* piecesOf(file: Readable): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of file) {
    // A stream without encoding yields buffers.
    rest = Buffer.concat([rest, chunk as Buffer])
    for (; rest.length >= MAX_PIECE_BYTES; rest = rest.subarray(MAX_PIECE_BYTES)) yield rest.subarray(0, MAX_PIECE_BYTES)
  }
  if (rest.length > 0) yield rest
}
