import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { GithubSettings } from '../observation/observe.ts'
import { observationRepository } from '../observation/repository.ts'
import type { OpenJob } from '../probe/background.ts'
import { probeJob } from '../probe/job.ts'
import { probeRepository } from '../probe/repository.ts'
import type { PackageSettings } from '../published-package/observe.ts'
import { packageRepository } from '../published-package/repository.ts'
import { sourceRepository } from '../source/repository.ts'
import type { SourceNetworkSettings } from '../source/source.ts'
import type { Tables } from '../tables.ts'
import { observationJob } from './observation-job.ts'
import { packageJob } from './package-job.ts'
import { sourceJob } from './source-job.ts'

/** What the jobs of a process are about; what is null or 0 has none. */
export type JobSettings = {
  readonly probeHours: number
  readonly github: GithubSettings | null
  readonly packages: PackageSettings | null
  readonly network: SourceNetworkSettings
}

/** The jobs that there is something to do for; null while there is nothing. Rejects when the database fails. */
export async function openJobs(
  connection: Connection,
  query: Kysely<Tables>,
  { probeHours, github, packages, network, log }: JobSettings & { readonly log: Logger },
): Promise<readonly OpenJob[] | null> {
  const sources = sourceRepository(query)
  const observes = github !== null && github.requestsPerHour > 0
  const settings = packages !== null && packages.packagesPerHour > 0 ? packages : null
  if (probeHours === 0 && !observes && !settings && !(await sources.exists())) return null
  return [
    sourceJob(connection, sources, { network, log }),
    ...(probeHours > 0 ? [await probeJob(probeRepository(query), probeHours, log)] : []),
    ...(observes ? [observationJob(connection, observationRepository(query), { github, network, log })] : []),
    ...(settings ? [packageJob(connection, packageRepository(query), { settings, network, log })] : []),
  ]
}
