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
import { decisionAsText } from './decision-text.ts'
import type { WithTrust } from './with-trust.ts'

type Options = Interaction & { readonly policy: Profile; readonly explain?: true; readonly json?: true }

/**
 * `atrium trust check`: the decision that a key would get, without a key, without counting and
 * without a record.
 */
export function checkCommand(withTrust: WithTrust): Command {
  const { kind, mode, sensitivity } = DEFAULT_INTERACTION
  return new Command('check')
    .description('decide about a domain, with reasons')
    .argument('<domain>', 'a host name, an address or a URL')
    .addOption(new Option('--policy <profile>', 'trust policy').choices(PROFILES).default(DEFAULT_PROFILE))
    .addOption(new Option('--kind <kind>', 'kind of interaction').choices(INTERACTION_KINDS).default(kind))
    .addOption(new Option('--mode <mode>', 'effect of the interaction').choices(INTERACTION_MODES).default(mode))
    .addOption(
      new Option('--sensitivity <sensitivity>', 'damage of a failed interaction').choices(SENSITIVITIES).default(sensitivity),
    )
    .option('--explain', 'show the points of every signal and every rule')
    .option('--json', 'print the whole decision on standard output')
    .action(async (domain: string, { policy, explain, json, ...interaction }: Options) => {
      await withTrust(async (parts) => {
        const { assess } = await import('../../subgraphs/trust/assessment/assess.ts')
        const { engine } = parts
        const found = engine.normalise('url', domain)
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
