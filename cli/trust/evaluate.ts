import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { z } from 'zod'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { Engine } from '../../subgraphs/trust/assessment/engine.ts'
import { type Snapshot, SOURCES } from '../../subgraphs/trust/evidence.ts'
import { DEFAULT_INTERACTION, DEFAULT_PROFILE, PROFILES } from '../../subgraphs/trust/pipeline/request.ts'
import { ACTIONS, type Profile } from '../../subgraphs/trust/pipeline/stages.ts'
import { type Case, caseForm, type JudgedCase, judgedCase } from './case.ts'
import { type JudgedName, missesIn, tableOf, tableText } from './labelled-names.ts'

/** The part of a source's result that every decision reads. */
const answer = z
  .object({
    status: z.enum(['ok', 'absent', 'failed', 'timeout', 'skipped']),
    validUntil: z.int(),
    facts: z.looseObject({}).optional(),
  })
  .refine(({ status, facts }) => status !== 'ok' || facts !== undefined)
const stored = z.object({
  schema: z.literal(1),
  host: z.string(),
  collectedAt: z.int(),
  sources: z.record(z.enum(SOURCES), answer),
})

const row = z.object({
  host: z.string(),
  label: z.string(),
  // Evidence as stored with decisions; absent: the name alone decides.
  snapshot: z.custom<Snapshot>((given) => stored.safeParse(given).success).optional(),
})
type Row = z.infer<typeof row>

/**
 * `atrium trust evaluate`: evaluates this release's policy against labelled cases. Needs neither
 * network nor database.
 */
export function evaluateCommand(): Command {
  return new Command('evaluate')
    .description('evaluate decisions against labelled cases, and show the misses')
    .argument(
      '<file>',
      'a JSON list, or a JSON object per line: {host, label, snapshot?}, or cases {name, domain, evidence, interaction, policy, expect}',
    )
    .addOption(new Option('--policy <profile>', 'trust policy; cases have their own').choices(PROFILES).default(DEFAULT_PROFILE))
    .option('--json', 'print {table, misses} or {cases} on standard output')
    .action(async (file: string, { policy, json }: { readonly policy: Profile; readonly json?: true }) => {
      const { engine } = await import('../../subgraphs/trust/assessment/engine.ts')
      const given = valuesIn(file)
      const isOfCases = given.some(({ value }) => typeof value === 'object' && value !== null && 'expect' in value)
      if (isOfCases) return reportCases(read(file, given, caseForm, CASE), engine, json === true)
      const judged = read(file, given, row, ROW).map((each) => judge(each, policy, engine))
      const table = tableOf(judged)
      const misses = missesIn(judged)
      if (json) console.log(JSON.stringify({ table, misses }, null, 2))
      else process.stdout.write(tableText(table, misses))
    })
}

const ROW = '{host, label} as strings, and a snapshot as decisions store it'
const CASE = '{name, domain, evidence, interaction, policy, expect}'

function judge({ host, label, snapshot }: Row, profile: Profile, engine: Engine): JudgedName {
  const found = engine.normalise('url', host)
  if (found.kind === 'invalid') return { host, label, decision: null }
  const evidence = snapshot ?? engine.snapshotOf(found.target.host, Math.floor(Date.now() / 1000), [])
  if (evidence.host !== found.target.host)
    throw new OperatorError(`Expected the snapshot of ${host} to be about it, got ${evidence.host}.`)
  const request = { target: found.target, interaction: DEFAULT_INTERACTION, profile }
  return { host, label, decision: decided() }

  /**
   * Facts are not validated, because each collector has its own; missing ones throw when they are
   * read.
   */
  function decided() {
    try {
      return engine.decide(evidence, request, engine.policyVersion, null)
    } catch (error) {
      if (snapshot && error instanceof TypeError)
        throw new OperatorError(`Expected the snapshot of ${host} to be one as decisions store it.`)
      throw error
    }
  }
}

/** Prints failed cases and totals; failures set exit status 1. */
function reportCases(cases: readonly Case[], engine: Engine, json: boolean): void {
  const judged = cases.map((each) => judgedCase(each, engine))
  const wrong = judged.filter(({ breaches }) => breaches.length > 0)
  if (json) console.log(JSON.stringify({ cases: judged.map(shown) }, null, 2))
  else process.stdout.write(casesText(judged, wrong))
  if (wrong.length > 0) process.exitCode = 1
}

const shown = ({ wanted, decision, breaches }: JudgedCase) => ({
  name: wanted.name,
  domain: wanted.domain,
  action: decision?.action ?? null,
  reasonCodes: decision?.reasonCodes ?? null,
  breaches,
})

function casesText(judged: readonly JudgedCase[], wrong: readonly JudgedCase[]): string {
  const forbidden = judged.filter(({ wanted, decision }) => decision && wanted.expect.mustNot.includes(decision.action))
  const given = [...ACTIONS, null].map((action) => {
    const count = judged.filter(({ decision }) => (decision?.action ?? null) === action).length
    return `${action ?? 'refused'} ${count}`
  })
  return [
    `${judged.length - wrong.length} of ${judged.length} cases in their allowed actions and codes, ${forbidden.length} with a forbidden action.`,
    `Given: ${given.join(', ')}.`,
    ...wrong.flatMap(({ wanted: { name, domain, expect }, breaches }) => [
      '',
      `${name} (${domain}): ${expect.why}`,
      ...breaches.map((breach) => `  ${breach}`),
    ]),
    '',
  ].join('\n')
}

/** Values of a file with the line that each starts on. */
function valuesIn(file: string): readonly { readonly value: unknown; readonly line: number }[] {
  let text: string
  try {
    // Removes the byte order mark that Windows programs write.
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
  const lines = text.trimStart().startsWith('[') ? [text] : text.split('\n')
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      const given: unknown = JSON.parse(line)
      return (Array.isArray(given) ? given : [given]).map((value: unknown) => ({ value, line: index + 1 }))
    } catch {
      throw new OperatorError(`${file}, line ${index + 1}: Expected JSON.`)
    }
  })
}

function read<Value>(
  file: string,
  given: ReturnType<typeof valuesIn>,
  form: z.ZodType<Value>,
  expected: string,
): readonly Value[] {
  return given.map(({ value, line }, index) => {
    const found = form.safeParse(value)
    if (found.success) return found.data
    const [issue] = found.error.issues
    throw new OperatorError(
      `${file}, line ${line}: Expected ${expected}; of entry ${index + 1}, \`${issue?.path.join('.')}\` is wrong: ${issue?.message}.`,
    )
  })
}
