import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import type { MailJobs } from '../mail/jobs.ts'
import type { MailLimits } from '../mail/limits.ts'
import type { UnitOfWork } from '../write.ts'
import { ALERT_INTERVAL_MS, type AlertRecipient, mailableRecipients } from './low-stock-alert.ts'
import { type LowStockAlertRepository, lowStockAlertRepository } from './repository.ts'

/** Between looks at what triggers have written: a first alert waits so long. Milliseconds. */
const INTERVAL_MS = 60_000
/** Stores that one statement finds: few enough to delay no request. */
const MAX_BATCH_SIZE = 100
/** Longer than the queue tries to send an e-mail. Milliseconds. */
const ALERT_AGE_MS = 3 * 24 * 3_600_000

export type LowStockJobDeps = {
  readonly lowStockAlerts: Pick<LowStockAlertRepository, 'due'>
  /** Null: the installation has no mail server, and items wait until it has. */
  readonly mail: MailJobs | null
  readonly mailLimits: MailLimits
  /** Runs a change of a store in a transaction. */
  readonly writeStore: <Result extends { readonly __typename: string }>(
    storeId: number,
    change: (unit: UnitOfWork) => Promise<Result>,
  ) => Promise<unknown>
  readonly log: Logger
  readonly now: () => Date
}

/** Requests e-mails about low stock, until it is stopped. Several processes may. */
export const lowStockJobs = (deps: LowStockJobDeps): PeriodicJob =>
  runPeriodically(
    INTERVAL_MS,
    (signal) => runLowStockJobs(deps, signal),
    (error) => deps.log.warn({ err: error }, 'items that are low in stock could not be reported'),
  )

/**
 * Does so once, for all stores that are due. One that fails keeps no other from its e-mail, and
 * neither do any number of them whose addresses may not get one: they are due again each time.
 */
export async function runLowStockJobs(deps: LowStockJobDeps, signal: AbortSignal): Promise<void> {
  const { lowStockAlerts, mail, mailLimits, writeStore, log, now } = deps
  if (mail === null) return
  const since = new Date(now().getTime() - ALERT_INTERVAL_MS)
  let storeIds: readonly number[] = []
  do {
    storeIds = await lowStockAlerts.due(since, { after: storeIds.at(-1) ?? 0, max: MAX_BATCH_SIZE })
    for (const storeId of storeIds) {
      if (signal.aborted) return
      await writeStore(storeId, (unit) => reportLowStock(unit, { mail, mailLimits })).catch((error: unknown) =>
        log.warn({ err: error, storeId }, 'items that are low in stock could not be reported'),
      )
    }
  } while (storeIds.length === MAX_BATCH_SIZE)
}

/**
 * Takes what is low and was not reported, and an e-mail for each recipient into the queue, in one
 * transaction: neither is without the other, and of two processes at once the second finds nothing.
 */
async function reportLowStock(
  unit: UnitOfWork,
  { mail, mailLimits }: { readonly mail: MailJobs; readonly mailLimits: MailLimits },
) {
  const { query, storeId, now } = unit
  const alerts = lowStockAlertRepository(query)
  if (!(await alerts.lock(storeId, new Date(now.getTime() - ALERT_INTERVAL_MS)))) return nothingToReport
  const recipients: AlertRecipient[] = []
  for (const recipient of mailableRecipients(await alerts.recipients(storeId)))
    if (await mailLimits.mayAlert(storeId, recipient.email)) recipients.push(recipient)
  // Not lost: the items are reported when an address may get an e-mail again.
  if (recipients.length === 0) return nothingToReport
  const { alertId, itemCount } = await alerts.report(storeId, now)
  if (itemCount === 0) return nothingToReport
  for (const { staffMemberId } of recipients)
    await mail.add(unit, { kind: 'low-stock', subjectId: alertId, ...(staffMemberId !== null && { staffMemberId }) })
  await alerts.deleteBefore(storeId, new Date(now.getTime() - ALERT_AGE_MS))
  return { __typename: 'ReportLowStockSuccess' as const }
}

/** Rolls the transaction back. */
const nothingToReport = { __typename: 'NothingToReport' as const }
