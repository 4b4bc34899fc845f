import { Command, Option } from 'commander'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { decodeId, encodeId } from '../../subgraphs/toolkit/ids.ts'
import type { ApiKey } from '../../subgraphs/trust/key/key.ts'
import { CHECK_FORMATS, type CheckFormat } from './check-formats.ts'
import { type KeyOption, keyOf } from './key-option.ts'
import type { TrustWork, WithTrust } from './with-trust.ts'

const KEY_OPTION = ['--key <id>', 'key of the job, as `atrium trust key list` shows it'] as const
const EVERYTHING = { size: 1_000, after: null, offset: 0 }

/** `atrium trust job`: decisions of thousands of targets in the background. */
export function jobCommand(withTrust: WithTrust): Command {
  return new Command('job')
    .description('show jobs of a key, their results, and cancel them; `decide` creates one')
    .addCommand(listCommand(withTrust))
    .addCommand(resultsCommand(withTrust))
    .addCommand(cancelCommand(withTrust))
}

function listCommand(withTrust: WithTrust): Command {
  return new Command('list')
    .description('list the jobs of a key, newest first')
    .requiredOption(...KEY_OPTION)
    .option('--json', 'print [{id, status, createdAt, startedAt, finishedAt, targets, decided, invalid, exceeded, failed}]')
    .action(async ({ key: id, json }: KeyOption & { readonly json?: true }) => {
      const found = await withTrust(async (trust) => trust.jobs.list((await keyOf(id, trust)).id, EVERYTHING))
      const shown = found.map((job) => ({ ...job, id: encodeId('DecisionJob', job.id) }))
      if (json) console.log(JSON.stringify(shown, null, 2))
      else
        for (const job of shown) {
          const finished = job.decided + job.invalid + job.exceeded + job.failed
          console.log(`${job.id}  ${job.createdAt.toISOString().slice(0, 16)}  ${job.status}  ${finished} of ${job.targets}`)
        }
    })
}

function resultsCommand(withTrust: WithTrust): Command {
  return new Command('results')
    .description('print the results of a job, in the order of its targets')
    .argument('<job>', 'its id')
    .requiredOption(...KEY_OPTION)
    .addOption(new Option('--format <format>', 'form of the lines').choices(CHECK_FORMATS).default('csv'))
    .action(async (job: string, { key: id, format }: KeyOption & { readonly format: CheckFormat }) => {
      const { writeResults } = await import('./job-results.ts')
      await withTrust(async (trust) => {
        const row = rowOf(job)
        const found = row === null ? null : await trust.jobs.find((await keyOf(id, trust)).id, row)
        if (!found) throw noJob(job)
        await writeResults(found.id, format, trust)
      })
    })
}

function cancelCommand(withTrust: WithTrust): Command {
  return new Command('cancel')
    .description('end a job; the results that it has stay')
    .argument('<job>', 'its id')
    .requiredOption(...KEY_OPTION)
    .action(async (job: string, { key: id }: KeyOption) => {
      const ended = await withTrust(async (trust) => cancel(job, await keyOf(id, trust), trust))
      if (!ended) throw noJob(job)
      console.log(`${job}  ${ended.status}`)
    })
}

async function cancel(job: string, key: ApiKey, { jobs, now }: TrustWork) {
  const row = rowOf(job)
  return row === null ? null : jobs.cancel(key.id, row, now())
}

const rowOf = (job: string): string | null => decodeId(job, 'DecisionJob')
const noJob = (job: string): OperatorError => new OperatorError(`This key has no job with the id "${job}".`)
