import type { Logger } from 'pino'
import type { OpenJob } from './background.ts'
import type { ProbeRepository } from './repository.ts'

/** Time between two looks for servers that are due. Seconds. */
const PROBE_EVERY_SECONDS = 300

/** Asks remote servers again and again what they offer: each this many hours after the last time. */
export async function probeJob(probes: ProbeRepository, probeHours: number, log: Logger): Promise<OpenJob> {
  // Loaded here: most installations start without.
  const [{ prober }, { probeDue }] = await Promise.all([import('./client.ts'), import('./probe.ts')])
  const client = prober()
  return {
    job: {
      name: 'feature-probe',
      everySeconds: PROBE_EVERY_SECONDS,
      async run(signal) {
        await probeDue(probeHours, log, { probes, prober: client, now: () => new Date(), signal })
      },
    },
    close: client.close,
  }
}
