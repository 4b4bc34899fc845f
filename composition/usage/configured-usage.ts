import type { Logger } from 'pino'
import { createUsageRecorder, type UsageRecorder } from '../../gateway/usage/usage-recorder.ts'
import type { Connection } from '../../platform/database/database.ts'
import { createUsageStore } from './usage-store.ts'

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
  if (retentionDays === 0 || connection === null) return null
  const onError = (error: Error) => log.warn({ err: error }, 'the usage report lost its database')
  return createUsageRecorder(createUsageStore(connection, { retentionDays, onError }), { log })
}
