import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { z } from 'zod'
import { Refusal } from '../../subgraphs/runtime/refusal.ts'
import type { Snapshot } from '../../subgraphs/trust/evidence.ts'
import type { Decision } from '../../subgraphs/trust/pipeline/decide.ts'
import { DEFAULT_INTERACTION, DEFAULT_PROFILE, PROFILES } from '../../subgraphs/trust/pipeline/request.ts'
import { ACTIONS, type Profile } from '../../subgraphs/trust/pipeline/stages.ts'

/** Labels that should go through; every other one should be stopped. */
const HARMLESS = new Set(['benign', 'safe', 'good', 'idn_safe'])
const WORST = 10

const row = z.object({
  host: z.string(),
  label: z.string(),
  // Evidence as decisions store it; without, the name alone decides.
  snapshot: z
    .custom<Snapshot>(
      (given) =>
        z.object({ schema: z.literal(1), host: z.string(), collectedAt: z.int(), sources: z.object({}) }).safeParse(given)
          .success,
    )
    .optional(),
})

type Judged = { readonly host: string; readonly label: string; readonly decision: Decision | null }

/** `atrium trust evaluate`: how the policy of this release does on names whose nature is known. Asks nobody, and needs no database. */
export function evaluateCommand(): Command {
  return new Command('evaluate')
    .description('decide about labelled names, and show where that goes wrong')
    .argument('<file>', 'a JSON list, or a JSON object per line: {host, label, snapshot?}')
    .addOption(new Option('--policy <profile>', 'how much doubt is tolerated').choices(PROFILES).default(DEFAULT_PROFILE))
    .option('--json', 'print {table, misses} on standard output')
    .action(async (file: string, { policy, json }: { readonly policy: Profile; readonly json?: true }) => {
      const { engine } = await import('../../subgraphs/trust/assessment/engine.ts')
      const at = Math.floor(Date.now() / 1000)
      const judged = rowsIn(file).map(({ host, label, snapshot }): Judged => {
        const found = engine.normalise('url', host)
        if (found.kind === 'invalid') return { host, label, decision: null }
        const request = { target: found.target, interaction: DEFAULT_INTERACTION, profile: policy }
        const evidence = snapshot ?? engine.snapshotOf(found.target.host, at, [])
        if (evidence.host !== found.target.host)
          throw new Refusal(`Expected the snapshot of ${host} to be about it, got ${evidence.host}.`)
        return { host, label, decision: engine.decide(evidence, request, engine.policyVersion, null) }
      })
      const table = tableOf(judged)
      const misses = missesIn(judged)
      if (json) console.log(JSON.stringify({ table, misses }, null, 2))
      else process.stdout.write(asText(table, misses))
    })
}

function rowsIn(file: string): readonly z.infer<typeof row>[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
  const lines = text.trimStart().startsWith('[') ? [text] : text.split('\n')
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    let given: unknown
    try {
      given = JSON.parse(line)
    } catch {
      throw new Refusal(`${file}, line ${index + 1}: Expected JSON.`)
    }
    const read = z.array(row).safeParse(Array.isArray(given) ? given : [given])
    if (!read.success)
      throw new Refusal(`${file}, line ${index + 1}: Expected {host, label} as strings, and a snapshot as decisions store it.`)
    return read.data
  })
}

type Line = {
  readonly label: string
  readonly total: number
  readonly counts: Readonly<Record<string, number>>
  readonly reasons: readonly string[]
}

/** A line per label: how many got which action, how many were refused as no host, and the reasons that were given most. */
function tableOf(judged: readonly Judged[]): readonly Line[] {
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
        reasons: [...reasons]
          .sort(([, one], [, other]) => other.length - one.length)
          .slice(0, 4)
          .map(([code, all]) => `${code} ${all.length}`),
      }
    })
}

/** The misses that would hurt most: harmless names by how strongly they are suspected, others by how little. */
function missesIn(judged: readonly Judged[]) {
  const suspicion = ({ decision }: Judged): number =>
    decision === null
      ? 0
      : ACTIONS.indexOf(decision.action) * 1_000 + decision.scores.threat.score + decision.scores.deviation.score
  const kinds = [...Map.groupBy(judged, ({ label }) => label)].sort(([one], [other]) => (one < other ? -1 : 1))
  return kinds.map(([label, rows]) => {
    const isHarmless = HARMLESS.has(label)
    const sorted = rows.filter(({ decision }) => decision !== null).sort((one, other) => suspicion(other) - suspicion(one))
    const worst = isHarmless ? sorted.slice(0, WORST) : sorted.slice(-WORST).reverse()
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

function asText(table: readonly Line[], misses: ReturnType<typeof missesIn>): string {
  const columns = [...ACTIONS, 'refused']
  const cells = (first: string, rest: readonly string[]) =>
    `${first.padEnd(14)} ${rest.map((cell, index) => cell.padStart(Math.max(7, columns[index]?.length ?? 0))).join('  ')}`
  return [
    cells('', columns),
    ...table.flatMap(({ label, total, counts, reasons }) => [
      cells(
        `${label}`,
        columns.map((column) => `${((100 * (counts[column] ?? 0)) / total).toFixed(1)} %`),
      ),
      cells(
        `  of ${total}`,
        columns.map((column) => String(counts[column] ?? 0)),
      ),
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
