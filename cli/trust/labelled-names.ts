import type { Decision } from '../../subgraphs/trust/pipeline/decision.ts'
import { ACTIONS } from '../../subgraphs/trust/pipeline/stages.ts'

/** Labels of harmless names; names with other labels should be stopped. */
const HARMLESS = new Set(['benign', 'safe', 'good', 'idn_safe'])
const MAX_WORST_NAMES = 10
/** Reason codes that need no evidence but the name. */
const ABOUT_NAMES = ['BRAND_LOOKALIKE', 'BRAND_MISMATCH', 'IDN_HOMOGRAPH'] as const

/** A labelled name with its decision; null when it was refused as invalid. */
export type JudgedName = { readonly host: string; readonly label: string; readonly decision: Decision | null }

type Line = {
  readonly label: string
  readonly total: number
  readonly counts: Readonly<Record<string, number>>
  /** Number of names by reason code; `suspected`: any of the codes, or refused. */
  readonly names: Readonly<Record<(typeof ABOUT_NAMES)[number] | 'suspected', number>>
  readonly reasons: readonly string[]
}

/**
 * A row per label: number of names by action, number of refused ones, and the most frequent
 * reasons.
 */
export function tableOf(judged: readonly JudgedName[]): readonly Line[] {
  return [...Map.groupBy(judged, ({ label }) => label)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([label, rows]) => {
      const reasons = Map.groupBy(
        rows.flatMap(({ decision }) => decision?.reasonCodes ?? []),
        (code) => code,
      )
      return {
        label,
        total: rows.length,
        counts: {
          ...Object.fromEntries(
            ACTIONS.map((action) => [action, rows.filter(({ decision }) => decision?.action === action).length]),
          ),
          refused: rows.filter(({ decision }) => decision === null).length,
        },
        names: namesIn(rows),
        reasons: [...reasons]
          .sort(([, one], [, other]) => other.length - one.length)
          .slice(0, 4)
          .map(([code, all]) => `${code} ${all.length}`),
      }
    })
}

function namesIn(rows: readonly JudgedName[]): Line['names'] {
  const said = rows.map(({ decision }) => ABOUT_NAMES.filter((code) => decision?.reasonCodes.includes(code)))
  const saying = (code: (typeof ABOUT_NAMES)[number]) => said.filter((codes) => codes.includes(code)).length
  return {
    BRAND_LOOKALIKE: saying('BRAND_LOOKALIKE'),
    BRAND_MISMATCH: saying('BRAND_MISMATCH'),
    IDN_HOMOGRAPH: saying('IDN_HOMOGRAPH'),
    suspected: rows.filter(({ decision }, index) => decision === null || (said[index]?.length ?? 0) > 0).length,
  }
}

/**
 * The worst misses per label: harmless names with the highest suspicion, others with the lowest.
 */
export function missesIn(judged: readonly JudgedName[]) {
  const suspicion = ({ decision }: JudgedName): number =>
    decision === null
      ? 0
      : ACTIONS.indexOf(decision.action) * 1_000 + decision.scores.threat.score + decision.scores.deviation.score
  const kinds = [...Map.groupBy(judged, ({ label }) => label)].sort(([one], [other]) => (one < other ? -1 : 1))
  return kinds.map(([label, rows]) => {
    const isHarmless = HARMLESS.has(label)
    const sorted = rows.filter(({ decision }) => decision !== null).sort((one, other) => suspicion(other) - suspicion(one))
    const worst = isHarmless ? sorted.slice(0, MAX_WORST_NAMES) : sorted.slice(-MAX_WORST_NAMES).reverse()
    return {
      label,
      worst: worst.map(({ host, decision }) => ({
        host,
        action: decision?.action,
        threat: decision?.scores.threat.score,
        deviation: decision?.scores.deviation.score,
        reasons: decision?.reasonCodes.slice(0, 4),
      })),
    }
  })
}

/** Table and misses as text. */
export function tableText(table: readonly Line[], misses: ReturnType<typeof missesIn>): string {
  const columns = [...ACTIONS, 'refused']
  const cells = (first: string, rest: readonly string[]) =>
    `${first.padEnd(14)} ${rest.map((cell, index) => cell.padStart(Math.max(7, columns[index]?.length ?? 0))).join('  ')}`
  return [
    cells('', columns),
    ...table.flatMap(({ label, total, counts, names, reasons }) => [
      cells(
        `${label}`,
        columns.map((column) => `${((100 * (counts[column] ?? 0)) / total).toFixed(1)} %`),
      ),
      cells(
        `  of ${total}`,
        columns.map((column) => String(counts[column] ?? 0)),
      ),
      `  of the name alone: ${[...ABOUT_NAMES, 'suspected' as const].map((each) => `${each} ${names[each]} (${((100 * names[each]) / total).toFixed(2)} %)`).join(', ')}`,
      `  most said: ${reasons.join(', ')}`,
    ]),
    '',
    ...misses.flatMap(({ label, worst }) => [
      `${HARMLESS.has(label) ? 'Most suspected' : 'Least suspected'} of ${label}:`,
      ...worst.map(
        ({ host, action, threat, deviation, reasons }) =>
          `  ${host.padEnd(48)} ${action}  threat ${threat}, deviation ${deviation}  ${reasons?.join(' ')}`,
      ),
      '',
    ]),
  ].join('\n')
}
