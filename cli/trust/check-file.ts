import { OperatorError } from '../../platform/process/operator-error.ts'
import { csvField } from '../../platform/text/csv.ts'
import { assess } from '../../subgraphs/trust/assessment/assess.ts'
import type { TrustParts } from '../../subgraphs/trust/context.ts'
import type { Decision } from '../../subgraphs/trust/pipeline/decision.ts'
import type { DecideRequest } from '../../subgraphs/trust/pipeline/request.ts'
import { readSource } from '../read-source.ts'
import type { CheckFormat } from './check-formats.ts'

/** Of one run. */
const MAX_TARGETS = 10_000
/** A file is held in memory. Bytes. */
const MAX_FILE_BYTES = 25_000_000
/** Targets whose evidence is collected at the same time: a fifth of the outward connections. */
const MAX_CONCURRENT_TARGETS = 20
/** Interval of lines about the progress. Milliseconds. */
const PROGRESS_MS = 5_000

/** Targets of a file, or of standard input for `-`: one per line; blank lines and `#` are left out. */
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
 * Decides about targets, and writes a line for each in their order as soon as it is known. Returns
 * how many are invalid; their lines have the message.
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
    // Reported by `next`, which may come to it only after another one has failed.
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

/** Waits for a reader that is slower than we are. */
const write = (text: string): Promise<void> =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve()
    else process.stdout.once('drain', resolve)
  })
