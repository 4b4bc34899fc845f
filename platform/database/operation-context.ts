import { AsyncLocalStorage } from 'node:async_hooks'

/** What SQL statements inherit from their operation. */
type Operation = {
  /** Null: nothing cancels its statements. */
  readonly signal: AbortSignal | null
  readonly mayReadReplica: boolean
  tenant: string
}

const operations = new AsyncLocalStorage<Operation>()

/** Whom work is done for when no operation says so: what the process does by itself. */
const OWN_WORK = ''

/**
 * Runs `work`; its SQL statements are cancelled when `signal` aborts: running ones in the database,
 * later ones before they start. With `mayReadReplica` a replica may answer them. While all
 * connections are busy they wait in the line of `tenant`. Start shared work in
 * `withoutCancellation`. Costs 0.5 µs, and 5 µs per statement.
 */
export const withCancellation = <Result>(
  signal: AbortSignal,
  work: () => Result,
  { mayReadReplica = false, tenant = OWN_WORK }: { readonly mayReadReplica?: boolean; readonly tenant?: string } = {},
): Result => operations.run({ signal, mayReadReplica, tenant }, work)

/** Runs `work`, whose SQL statements wait in the line of `tenant` and are not cancelled. */
export const withTenant = <Result>(tenant: string, work: () => Result): Result =>
  operations.run({ signal: null, mayReadReplica: false, tenant }, work)

/**
 * Statements of the current operation wait in the line of `tenant` from now on: its store is known,
 * and all callers of a store share one line.
 */
export function chargeTo(tenant: string): void {
  const operation = operations.getStore()
  if (operation) operation.tenant = tenant
}

/**
 * Runs `work` outside the current operation: a shared result must neither be cancelled with its
 * first caller nor come from a replica.
 */
export const withoutCancellation = <Result>(work: () => Result): Result => operations.exit(work)

/**
 * The current operation that can be cancelled, the same object throughout; undefined outside one.
 */
export const currentOperation = (): object | undefined => {
  const operation = operations.getStore()
  return operation?.signal ? operation : undefined
}

/** Whether a replica may answer the current operation. */
export const readsBehind = (): boolean => operations.getStore()?.mayReadReplica === true

/** The signal of the current operation; undefined outside one. */
export const currentSignal = (): AbortSignal | undefined => operations.getStore()?.signal ?? undefined

/** Whom the current operation is done for. */
export const currentTenant = (): string => operations.getStore()?.tenant ?? OWN_WORK
