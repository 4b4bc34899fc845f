import { Command, Option } from 'commander'
import type { ContentRisk } from '../clients/evidence/risk.ts'
import type { GatedSource } from '../clients/gate/gate.ts'
import type { Use } from '../clients/gate/use.ts'
import type { Policy } from '../clients/trust/decision.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { addressOption } from './arguments.ts'
import { printable } from './printable.ts'

type Options = { readonly atrium: string; readonly policy: Policy; readonly allowPrivate?: true; readonly json?: true }

/** `atrium gate`: decides which sources an agent may cite. Uses a running Atrium over HTTP. */
export function gateCommand(): Command {
  return new Command('gate')
    .summary('gate sources for citing')
    .description('gate sources for citing: check trust with a running Atrium, read and rate them')
    .argument('<source...>', 'http(s) URLs, or files (.html, .htm, .xhtml, .txt, .md), which are read without a trust check')
    .addOption(addressOption('--atrium <url>'))
    .addOption(
      new Option('--policy <profile>', 'trust policy').choices(['open', 'balanced', 'strict', 'critical']).default('balanced'),
    )
    .option('--allow-private', 'also read pages at private addresses')
    .option('--json', 'print [{source, standing, decision, rating, risk, use, why, content}] on standard output')
    .addHelpText(
      'after',
      `
Environment:
  ATRIUM_API_KEY  API key; create one with \`npx atrium trust key create\`. Not required for files.

Exit status: 0 when every source was rated, with any result; 1 when one was not, because Atrium did not decide or a
file cannot be read: do not use it, standard error has the reason; 2 wrong usage.`,
    )
    .action(async (sources: string[], { atrium, policy, allowPrivate, json }: Options, command: Command) => {
      const { gateSources, MAX_SOURCES } = await import('../clients/gate/gate.ts')
      const { sourceOf } = await import('../clients/gate/source.ts')
      const { trustClient } = await import('../clients/trust/client.ts')

      if (sources.length > MAX_SOURCES)
        command.error(`error: expected at most ${MAX_SOURCES} sources, got ${sources.length}`, { exitCode: 2 })
      const apiKey = process.env.ATRIUM_API_KEY
      if (!apiKey && sources.some((source) => sourceOf(source).kind === 'web'))
        throw new OperatorError('Expected ATRIUM_API_KEY to be an API key: create one with `npx atrium trust key create`.')
      const client = apiKey ? withUsageErrors(() => trustClient({ baseUrl: atrium, apiKey })) : null
      const results = await gateSources(sources, { client, policy, allowPrivate: allowPrivate === true })
      if (json) console.log(JSON.stringify(results, null, 2))
      else process.stdout.write(asText(results))
      const unjudged = results.filter(isUnjudged)
      if (unjudged.length > 0) throw new OperatorError(whyUnjudged(unjudged, results.length))
    })
}

/** Whether a source has no result: neither a denial, a decision nor a rating. */
const isUnjudged = ({ standing, decision, rating }: GatedSource): boolean =>
  standing !== 'denied' && decision === null && rating === null

function whyUnjudged(sources: readonly GatedSource[], total: number): string {
  const reasons = new Set(sources.flatMap(({ why }) => why.map(printable)))
  return `${sources.length} of ${total} sources could not be rated. ${[...reasons].join(' ')}`
}

/** Converts the client's error for invalid options, such as the key, to an `OperatorError`. */
function withUsageErrors<Client>(make: () => Client): Client {
  try {
    return make()
  } catch (error) {
    if (error instanceof TypeError) throw new OperatorError(error.message)
    throw error
  }
}

const HEADINGS: Readonly<Record<Use, string>> = {
  cite: 'May be cited',
  context: 'May be read, not cited',
  none: 'Do not use',
}

/** Marks that a person reads; `--json` has all. */
const MAX_PRINTED_MARKS = 5

function markLines({ level, findings }: ContentRisk): readonly string[] {
  if (level === 'none' || level === 'low') return []
  const left = findings.length - MAX_PRINTED_MARKS
  return [
    ...findings
      .slice(0, MAX_PRINTED_MARKS)
      .map(({ part, start, end, rule, excerpt }) => `      ${part} ${start}–${end}, ${rule}: ${printable(excerpt)}`),
    ...(left > 0 ? [`      and ${left} more; --json lists all`] : []),
  ]
}

function asText(results: readonly GatedSource[]): string {
  return (['cite', 'context', 'none'] as const)
    .flatMap((use) => {
      const found = results.filter((result) => result.use === use)
      if (found.length === 0) return []
      const lines = found.flatMap(({ source, content, why, risk }) => [
        `  ${printable(source)}`,
        ...(content?.title ? [`    “${printable(content.title)}”`] : []),
        ...why.map((reason) => `    ${printable(reason)}`),
        ...(risk ? markLines(risk) : []),
      ])
      return [`${HEADINGS[use]}:`, ...lines, '']
    })
    .join('\n')
}
