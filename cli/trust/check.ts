import { Command, Option } from 'commander'
import { OperatorError } from '../../platform/process/operator-error.ts'
import {
  DEFAULT_INTERACTION,
  DEFAULT_PROFILE,
  INTERACTION_KINDS,
  INTERACTION_MODES,
  type Interaction,
  PROFILES,
  SENSITIVITIES,
} from '../../subgraphs/trust/pipeline/request.ts'
import type { Profile } from '../../subgraphs/trust/pipeline/stages.ts'
import { CHECK_FORMATS, type CheckFormat } from './check-formats.ts'
import { decisionAsText } from './decision-text.ts'
import type { WithTrust } from './with-trust.ts'

type Options = Interaction & {
  readonly policy: Profile
  readonly explain?: true
  readonly json?: true
  readonly file?: string
  readonly format?: CheckFormat
}

/**
 * `atrium trust check`: decides like the API, but without a key, a counted scan or a stored
 * decision.
 */
export function checkCommand(withTrust: WithTrust): Command {
  const { kind, mode, sensitivity } = DEFAULT_INTERACTION
  return new Command('check')
    .description('decide about a domain, with reasons, or about all targets of a file')
    .argument('[domain]', 'a host name, an address or a URL')
    .addOption(new Option('--policy <profile>', 'trust policy').choices(PROFILES).default(DEFAULT_PROFILE))
    .addOption(new Option('--kind <kind>', 'kind of interaction').choices(INTERACTION_KINDS).default(kind))
    .addOption(new Option('--mode <mode>', 'effect of the interaction').choices(INTERACTION_MODES).default(mode))
    .addOption(
      new Option('--sensitivity <sensitivity>', 'damage of a failed interaction').choices(SENSITIVITIES).default(sensitivity),
    )
    .addOption(new Option('--explain', 'show the points of every signal and every rule').conflicts('file'))
    .addOption(new Option('--json', 'print the whole decision on standard output').conflicts('file'))
    .option(
      '--file <file>',
      'decide about up to 10,000 targets, one per line; - for standard input; exits 1 when some are invalid',
    )
    .addOption(new Option('--format <format>', 'form of the lines for a file; csv when absent').choices(CHECK_FORMATS))
    .action(async (domain: string | undefined, options: Options, command: Command) => {
      const { policy, explain, json, file, format, ...interaction } = options
      if ((domain === undefined) === (file === undefined)) throw new OperatorError('Expected a domain or --file.')
      if (format !== undefined && file === undefined)
        return command.error('error: expected --file with --format', { exitCode: 2 })
      if (file !== undefined) return checkFile(file, options, withTrust)
      await withTrust(async (parts) => {
        const { assess } = await import('../../subgraphs/trust/assessment/assess.ts')
        const { engine } = parts
        const found = engine.normalise('url', domain ?? '')
        if (found.kind === 'invalid') throw new OperatorError(found.message)
        const wanted = { kind: interaction.kind, mode: interaction.mode, sensitivity: interaction.sensitivity }
        const request = { target: found.target, interaction: wanted, profile: policy }
        const { snapshot, decision } = await assess(request, parts)
        if (json) console.log(JSON.stringify(decision, null, 2))
        else {
          const again = (other: typeof request) => engine.decide(snapshot, other, engine.policyVersion, null).action
          process.stdout.write(decisionAsText(decision, request, again, { isExplained: explain === true }))
        }
      })
    })
}

async function checkFile(file: string, options: Options, withTrust: WithTrust): Promise<void> {
  const { kind, mode, sensitivity, policy, format = 'csv' } = options
  const { checkTargets, readTargets } = await import('./check-file.ts')
  const targets = await readTargets(file)
  const planned = { interaction: { kind, mode, sensitivity }, profile: policy }
  const invalid = await withTrust((parts) => checkTargets(targets, planned, format, parts))
  if (invalid > 0) throw new OperatorError(`${invalid} of ${targets.length} targets are invalid.`)
}
