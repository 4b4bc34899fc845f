import { setTimeout as sleep } from 'node:timers/promises'
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
import { type KeyOption, keyOf } from './key-option.ts'
import type { TrustWork, WithTrust } from './with-trust.ts'

type Options = Interaction &
  KeyOption & {
    readonly policy: Profile
    readonly file: string
    readonly format: CheckFormat
    readonly background?: true
  }

/** Between two looks at a job whose last targets another process decides. */
const POLL_MS = 500
/** Between two lines of progress. */
const PROGRESS_MS = 5_000

/** `atrium trust decide`: decides the targets of a file as a job of a key. */
export function decideCommand(withTrust: WithTrust): Command {
  const { kind, mode, sensitivity } = DEFAULT_INTERACTION
  return new Command('decide')
    .description('decide about the targets of a file for a key: stored, and counted as scans; see `check` for neither')
    .requiredOption('--file <file>', 'up to 10,000 targets, one per line; - for standard input')
    .requiredOption('--key <id>', 'key that decides, as `atrium trust key list` shows it')
    .addOption(new Option('--policy <profile>', 'trust policy').choices(PROFILES).default(DEFAULT_PROFILE))
    .addOption(new Option('--kind <kind>', 'kind of interaction').choices(INTERACTION_KINDS).default(kind))
    .addOption(new Option('--mode <mode>', 'effect of the interaction').choices(INTERACTION_MODES).default(mode))
    .addOption(
      new Option('--sensitivity <sensitivity>', 'damage of a failed interaction').choices(SENSITIVITIES).default(sensitivity),
    )
    .addOption(new Option('--format <format>', 'form of the lines').choices(CHECK_FORMATS).default('csv'))
    .option('--background', 'leave it to the running server, and print the id of the job')
    .action(async ({ file, key: id, policy, format, background, ...interaction }: Options) => {
      const [{ readTargets }, { createDecisionJob }, { writeResults }, { encodeId }] = await Promise.all([
        import('./check-file.ts'),
        import('../../subgraphs/trust/decision-job/actions.ts'),
        import('./job-results.ts'),
        import('../../subgraphs/toolkit/ids.ts'),
      ])
      const targets = await readTargets(file)
      const planned = { kind: interaction.kind, mode: interaction.mode, sensitivity: interaction.sensitivity }
      const inputs = targets.map((value) => ({
        target: { type: 'url' as const, value },
        interaction: planned,
        profile: policy,
      }))
      await withTrust(async (trust) => {
        const key = await keyOf(id, trust)
        const created = await createDecisionJob(key, { inputs, idempotencyKey: null }, trust)
        if (created.kind === 'invalid') throw new OperatorError(created.faults.map(({ message }) => message).join(' '))
        if (created.kind !== 'created') throw new OperatorError(created.message)
        const jobId = encodeId('DecisionJob', created.job.id)
        if (background) return void console.log(jobId)
        console.error(`job ${jobId}: the running server goes on with it when this program ends`)
        await finish(key.id, created.job.id, trust)
        await writeResults(created.job.id, format, trust)
      })
    })
}

/** Decides until the job has ended, together with the processes of a running server. */
async function finish(keyId: string, jobId: string, { jobs, runJobs }: TrustWork): Promise<void> {
  let hasEnded = false
  const report = async (): Promise<void> => {
    for (let saidAt = performance.now(); !hasEnded; await sleep(POLL_MS)) {
      const job = await jobs.find(keyId, jobId)
      hasEnded = job?.status !== 'running'
      if (!job || hasEnded || performance.now() - saidAt < PROGRESS_MS) continue
      saidAt = performance.now()
      console.error(`${job.decided + job.invalid + job.exceeded + job.failed} of ${job.targets}`)
    }
  }
  const work = async (): Promise<void> => {
    for (; !hasEnded; await sleep(POLL_MS)) await runJobs()
  }
  await Promise.all([report(), work()])
}
