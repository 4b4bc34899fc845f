import type { Logger } from 'pino'
import { createUsageRecorder, type UsageRecorder } from '../../gateway/usage/usage-recorder.ts'
import type { Connection } from '../../platform/database/database.ts'
import { createUsageStore, deleteUsage } from './usage-store.ts'

/** Usage recorder by configuration; null when disabled, and for a gateway without a database. */
export function usageRecorderFromConfig(
  {
    USAGE_DAYS: retentionDays,
    DATABASE_URL: databaseUrl,
  }: { readonly USAGE_DAYS: number; readonly DATABASE_URL?: string | undefined },
  own: Connection | null,
  log: Logger,
): UsageRecorder | null {
  const connection = own ?? (databaseUrl === undefined ? null : { connectionString: databaseUrl })
  if (connection === null) {
    if (retentionDays > 0) {
      log.warn('no usage is recorded: the role gateway needs DATABASE_URL; set it, or USAGE_DAYS=0 to record nothing')
    }
    return null
  }
  if (retentionDays === 0) {
    deleteUsage(connection).then(
      (counts) => counts > 0 && log.info({ counts }, 'recorded usage was deleted, because USAGE_DAYS is 0'),
      (error: unknown) => log.warn({ err: error }, 'recorded usage could not be deleted'),
    )
    return null
  }
  const onError = (error: Error) => log.warn({ err: error }, 'the usage report lost its database')
  return createUsageRecorder(createUsageStore(connection, { retentionDays, onError }), { log })
}
