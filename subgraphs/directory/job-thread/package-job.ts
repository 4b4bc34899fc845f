import type { Logger } from 'pino'
import type { PackageRegistry } from '#generated/directory/resolvers.ts'
import { keysOf } from '../../../platform/collections/keys-of.ts'
import type { Connection } from '../../../platform/database/database.ts'
import type { OpenJob } from '../probe/background.ts'
import { duePackages } from '../published-package/due.ts'
import type { PackageSettings } from '../published-package/observe.ts'
import type { PackageRepository } from '../published-package/repository.ts'
import type { SourceNetworkSettings } from '../source/source.ts'
import { runTask } from './run-task.ts'

/** Time between two turns. Seconds. */
const OBSERVE_EVERY_SECONDS = 120

/** Observes packages again and again; requests and the merge are work of a thread. */
export function packageJob(
  connection: Connection,
  packages: PackageRepository,
  {
    settings,
    network,
    log,
  }: { readonly settings: PackageSettings; readonly network: SourceNetworkSettings; readonly log: Logger },
): OpenJob {
  const pausedUntil: Record<PackageRegistry, number> = { NPM: 0, PYPI: 0 }
  return {
    job: {
      name: 'package-observation',
      everySeconds: OBSERVE_EVERY_SECONDS,
      async run(signal) {
        const registries = keysOf(pausedUntil).filter((registry) => pausedUntil[registry] <= Date.now())
        const due = await duePackages(settings.packagesPerHour, registries, { packages, now: () => new Date() })
        if (due.length === 0) return
        const task = { kind: 'observe-packages', connection, due, settings, network } as const
        const { changed, pauses } = await runTask(task, { log, signal })
        for (const registry of registries) pausedUntil[registry] = Date.now() + (pauses[registry] ?? 0) * 1_000
        if (changed > 0) log.info({ changed }, 'observed packages changed the directory')
      },
    },
    close: async () => {},
  }
}
