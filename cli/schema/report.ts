import { Option } from 'commander'
import {
  type OperationUse,
  readUsage,
  requestsOf,
  type UsageReport,
  type UsedOperation,
} from '../../composition/usage/usage-report.ts'
import { ANY_COORDINATE } from '../../gateway/usage/usage-recorder.ts'
import { wholeNumber } from '../arguments.ts'
import { withDatabase } from '../database.ts'

/** Upper bound of `--days`: ten years. */
const MAX_DAYS = 3_650

export const daysOption = (): Option =>
  new Option('--days <number>', 'how far to look back, today included').default(30).argParser(wholeNumber(1, MAX_DAYS))

/**
 * Recorded usage of the last `days`. Does not migrate: a check runs from a newer version than the
 * serving one, whose schema it must not change.
 */
export const usageOf = (days: number): Promise<UsageReport> => withDatabase(({ connection }) => readUsage(connection, days))

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

export const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

export const operationName = ({ name, kind, hash }: UsedOperation): string =>
  kind === 'other' ? `operations beyond the bound (${hash})` : `${kind} ${name ?? `without a name (${hash.slice(0, 12)})`}`

export const clientName = ({
  clientName: name,
  clientVersion: version,
}: Pick<OperationUse, 'clientName' | 'clientVersion'>): string =>
  `${name === '' ? 'client without a name' : `client ${name}`}${version === '' ? '' : ` ${version}`}`

/** Lines of operations per change; the rest is a count. */
const MAX_LINES = 20

/** One line per operation and client, in the order given: most requests first. */
export function linesOf(operations: readonly UsedOperation[], indent: string): readonly string[] {
  const lines = operations.flatMap((operation) =>
    operation.uses.map(
      (use) =>
        `${indent}${clientName(use)} (${counted(use.requests, 'request')}, last seen ${dayOf(use.lastSeenAt)}), ${operationName(operation)}`,
    ),
  )
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `${indent}and ${lines.length - MAX_LINES} more`]
}

/** Caveats of a report: missing days, and operations that could not be described. */
export function gapOf({ days, firstDay, operations }: UsageReport): readonly string[] {
  if (firstDay === null) return ['No usage is recorded in these days.']
  const since = dayOf(new Date(Date.now() - (days - 1) * 86_400_000))
  const isVague = operations.some(({ coordinates }) => coordinates.includes(ANY_COORDINATE))
  return [
    ...(firstDay > since ? [`Usage is recorded since ${firstDay}: what was used before is unknown.`] : []),
    ...(isVague ? ['Some operations could not be described: what they use is unknown.'] : []),
  ]
}

/** JSON form of an operation, for `--json`. */
export const operationJson = (operation: UsedOperation) => ({
  hash: operation.hash,
  name: operation.name,
  kind: operation.kind,
  requests: requestsOf(operation),
  signature: operation.signature,
  clients: operation.uses.map(({ clientName: name, clientVersion: version, requests, errors, milliseconds, lastSeenAt }) => ({
    name,
    version,
    requests,
    errors,
    meanMilliseconds: requests === 0 ? null : Math.round((milliseconds / requests) * 1_000) / 1_000,
    lastSeenAt,
  })),
})
