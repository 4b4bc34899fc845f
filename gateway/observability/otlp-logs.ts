import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { runPeriodically } from '../../platform/process/run-periodically.ts'
import { type OtlpTarget, otlpAttributes, otlpResource, otlpTime, postOtlp } from './otlp-post.ts'

/** Pause between two exports. */
const EXPORT_INTERVAL_MS = 1_000
/** Most lines that wait for an export; further ones are counted and dropped. */
export const MAX_WAITING_LOG_LINES = 2_048
/** Most characters of a line that is exported; longer ones are dropped as well. */
export const MAX_EXPORTED_LINE_CHARACTERS = 20_000

/** Sends log lines to a collector. */
export type LogExport = {
  /** Takes a line of the log, and never throws. */
  readonly write: (line: string) => void
  readonly close: () => Promise<void>
}

/**
 * Sends log lines to `/v1/logs` of the collector, each second. Lines that cannot be sent are
 * dropped: they are on standard output as well. The next export that succeeds says how many.
 */
export function exportLogs(target: OtlpTarget): LogExport {
  let waiting: string[] = []
  let dropped = 0
  let isFailing = false
  const send = async () => {
    if (waiting.length === 0 && dropped === 0) return
    const [lines, missing] = [waiting, dropped]
    waiting = []
    dropped = 0
    try {
      await postOtlp(target, '/v1/logs', logsMessage(lines, { target, missing, now: Date.now() }))
      isFailing = false
    } catch {
      // Not logged: a failed export would cause the next one.
      isFailing = true
      dropped += lines.length + missing
    }
  }
  // An export in progress is not aborted: the collector may have its lines, and would get them twice.
  const exporting = runPeriodically(EXPORT_INTERVAL_MS, send, () => {})
  return {
    write(line) {
      if (waiting.length < MAX_WAITING_LOG_LINES && line.length <= MAX_EXPORTED_LINE_CHARACTERS) waiting.push(line)
      else dropped++
    },
    async close() {
      await exporting.stop()
      if (!isFailing) await send()
    },
  }
}

/** ExportLogsServiceRequest of OTLP 1 in JSON; `missing`: lines before these that were dropped. */
function logsMessage(
  lines: readonly string[],
  { target, missing, now }: { readonly target: OtlpTarget; readonly missing: number; readonly now: number },
): object {
  const warning = { level: 40, time: now, msg: `${missing} log lines before this one were not exported` }
  const logRecords = [...(missing > 0 ? [JSON.stringify(warning)] : []), ...lines].flatMap((line) => recordOf(line, now) ?? [])
  return { resourceLogs: [{ resource: otlpResource(target), scopeLogs: [{ scope: { name: 'atrium' }, logRecords }] }] }
}

/** Attributes that OpenTelemetry's semantic conventions name, by their key in a log line. */
const CONVENTIONS = lookupTable({
  operation: 'graphql.operation.name',
  kind: 'graphql.operation.type',
  requestId: 'atrium.request_id',
  subgraph: 'atrium.subgraph',
  pid: 'process.pid',
  hostname: 'host.name',
})
const OPERATION_KINDS: readonly unknown[] = ['query', 'mutation', 'subscription']

/** Null for a line that is no JSON object. */
function recordOf(line: string, now: number): object | null {
  let given: unknown
  try {
    given = JSON.parse(line)
  } catch {
    return null
  }
  if (typeof given !== 'object' || given === null) return null
  // Any object: each value is checked where it is used.
  const { level, time, msg, err, ...rest } = given as Readonly<Record<string, unknown>>
  const timeUnixNano = otlpTime(typeof time === 'number' ? time : now)
  const named = Object.entries(rest).map(([key, value]) => [attributeOf(key, rest), value])
  return {
    timeUnixNano,
    observedTimeUnixNano: timeUnixNano,
    ...severityOf(level),
    body: { stringValue: typeof msg === 'string' ? msg : '' },
    attributes: otlpAttributes({ ...Object.fromEntries(named), ...exceptionOf(err) }),
  }
}

/** A line is about an operation of GraphQL when its `kind` says so. */
function attributeOf(key: string, { kind }: Readonly<Record<string, unknown>>): string {
  const isOfOperation = OPERATION_KINDS.includes(kind)
  return (key === 'operation' || key === 'kind') && !isOfOperation ? key : (CONVENTIONS[key] ?? key)
}

/** Severity of OTLP by the level of pino. */
function severityOf(level: unknown): { readonly severityNumber: number; readonly severityText: string } {
  const value = typeof level === 'number' ? level : 30
  if (value >= 60) return { severityNumber: 21, severityText: 'FATAL' }
  if (value >= 50) return { severityNumber: 17, severityText: 'ERROR' }
  if (value >= 40) return { severityNumber: 13, severityText: 'WARN' }
  if (value >= 30) return { severityNumber: 9, severityText: 'INFO' }
  return value >= 20 ? { severityNumber: 5, severityText: 'DEBUG' } : { severityNumber: 1, severityText: 'TRACE' }
}

function exceptionOf(err: unknown): Readonly<Record<string, unknown>> {
  if (typeof err !== 'object' || err === null) return {}
  // As pino writes an error; each value may be missing.
  const { type, message, stack } = err as Readonly<Record<string, unknown>>
  return { 'exception.type': type, 'exception.message': message, 'exception.stacktrace': stack }
}
