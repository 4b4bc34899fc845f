import { csvField } from '../../platform/text/csv.ts'
import type { DecisionJobResult } from '../../subgraphs/trust/decision-job/decision-job.ts'
import { printable } from '../printable.ts'
import type { CheckFormat } from './check-formats.ts'
import type { TrustWork } from './with-trust.ts'

const PAGE_ROWS = 1_000

const CSV_COLUMNS = ['target', 'status', 'action', 'confidence', 'threat', 'trust', 'reasons', 'decision', 'valid_until', 'error']

/** Writes all results of a job to standard output, one line each, in the order of the targets. */
export async function writeResults(jobId: string, format: CheckFormat, { jobs }: Pick<TrustWork, 'jobs'>): Promise<void> {
  if (format === 'csv') console.log(CSV_COLUMNS.join(','))
  for (let after: readonly number[] | null = null; ; ) {
    const rows: readonly DecisionJobResult[] = await jobs.results(jobId, { size: PAGE_ROWS, after, offset: 0 })
    const page = rows.slice(0, PAGE_ROWS)
    for (const row of page) console.log(format === 'csv' ? csvLine(row) : JSON.stringify(row))
    const last = page.at(-1)
    if (!last || rows.length === page.length) return
    after = [last.position]
  }
}

const csvLine = ({ target, status, verdict, confidence, decisionId, validUntil, faults }: DecisionJobResult): string =>
  [
    // Invalid ones are of callers, in any characters.
    ...[
      status === 'invalid' ? printable(target) : target,
      status,
      verdict?.action ?? '',
      confidence ?? '',
      verdict?.threatScore ?? '',
      verdict?.trustScore ?? '',
    ],
    ...[verdict?.reasonCodes.join(' ') ?? '', decisionId ?? '', validUntil?.toISOString() ?? ''],
    faults.map(({ message }) => message).join(' '),
  ]
    .map(csvField)
    .join(',')
