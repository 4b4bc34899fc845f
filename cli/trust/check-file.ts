import { OperatorError } from '../../platform/process/operator-error.ts'
import { csvField } from '../../platform/text/csv.ts'
import { assess } from '../../subgraphs/trust/assessment/assess.ts'
import type { TrustParts } from '../../subgraphs/trust/context.ts'
import type { Decision } from '../../subgraphs/trust/pipeline/decision.ts'
import type { DecideRequest } from '../../subgraphs/trust/pipeline/request.ts'
import { readSource } from '../read-source.ts'
import type { CheckFormat } from './check-formats.ts'

/** Upper bound of targets per run. */
const MAX_TARGETS = 10_000
/** Upper bound of a file, which is read into memory. */
const MAX_FILE_BYTES = 25_000_000
/** Targets whose evidence is collected concurrently: a fifth of the outbound connection limit. */
const MAX_CONCURRENT_TARGETS = 20
/** Interval of progress lines. */
const PROGRESS_MS = 5_000

/**
 * Reads targets from a file, or for `-` from standard input: one per line; blank lines and `#`
 * comments are skipped.
 */
export async function readTargets(source: string): Promise<readonly string[]> {
  const targets = (await readSource(source, MAX_FILE_BYTES))
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (targets.length === 0) throw new OperatorError(`There are no targets in "${source}".`)
  if (targets.length > MAX_TARGETS) throw new OperatorError(`Expected at most ${MAX_TARGETS} targets, got ${targets.length}.`)
  return targets
}

/**
 * Decides about targets concurrently, and writes one line each, in the order of targets. Returns
 * the number of invalid targets; their lines have an error.
 */
export async function checkTargets(
  targets: readonly string[],
  planned: Omit<DecideRequest, 'target'>,
  format: CheckFormat,
  parts: Pick<TrustParts, 'engine' | 'sources' | 'lists' | 'now'>,
): Promise<number> {
  let invalid = 0
  let written = 0
  let saidAt = performance.now()
  const pending: Promise<string>[] = []
  if (format === 'csv') await write(`${CSV_COLUMNS.join(',')}\n`)
  for (const target of targets) {
    const line = lineOf(target)
    // Prevents an unhandled rejection: `next` awaits lines in order, and may stop at an earlier
    // one.
    line.catch(() => {})
    pending.push(line)
    if (pending.length >= MAX_CONCURRENT_TARGETS) await next()
  }
  while (pending.length > 0) await next()
  return invalid

  async function next(): Promise<void> {
    await write((await pending.shift()) ?? '')
    written += 1
    if (performance.now() - saidAt < PROGRESS_MS) return
    saidAt = performance.now()
    process.stderr.write(`${written} of ${targets.length}\n`)
  }

  async function lineOf(text: string): Promise<string> {
    const found = parts.engine.normalise('url', text)
    if (found.kind === 'target') {
      const { decision } = await assess({ ...planned, target: found.target }, parts)
      return format === 'jsonl' ? `${JSON.stringify({ target: text, decision })}\n` : csvLine(text, decision, '')
    }
    invalid += 1
    return format === 'jsonl' ? `${JSON.stringify({ target: text, error: found.message })}\n` : csvLine(text, null, found.message)
  }
}

const CSV_COLUMNS = ['target', 'host', 'action', 'confidence', 'threat', 'trust', 'reasons', 'list_entry', 'valid_until', 'error']

const csvLine = (text: string, decision: Decision | null, error: string): string =>
  `${[
    text,
    decision?.target.host ?? '',
    decision?.action ?? '',
    decision?.confidence ?? '',
    decision?.scores.threat.score ?? '',
    decision?.scores.trust.score ?? '',
    decision?.reasonCodes.join(' ') ?? '',
    decision?.override?.list?.list ?? '',
    decision ? new Date(decision.validity.validUntil * 1000).toISOString() : '',
    error,
  ]
    .map(csvField)
    .join(',')}\n`

/** Writes to standard output with backpressure. */
const write = (text: string): Promise<void> =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve()
    else process.stdout.once('drain', resolve)
  })
