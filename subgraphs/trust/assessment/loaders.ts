import { loaderByKey } from '../../toolkit/loader.ts'
import type { Decision } from '../pipeline/decision.ts'
import type { Target } from '../pipeline/normalise.ts'
import { toUnixSeconds } from '../unix-time.ts'
import { decideFromSnapshot, defaultRequest } from './assess.ts'
import type { BackgroundCollector } from './background.ts'
import { type Engine, needsEvidence } from './engine.ts'
import type { ListMatcher } from './list-matcher.ts'
import { applyLists } from './listed.ts'
import type { SnapshotRepository } from './repository.ts'

type Needed = {
  readonly engine: Engine
  readonly snapshots: SnapshotRepository
  readonly background: BackgroundCollector
  readonly lists: ListMatcher
  readonly now: () => Date
}

/**
 * Assessments of the hosts of URLs from stored evidence: one read for all. Missing and old evidence
 * is collected in the background.
 */
export const assessmentLoaders = ({ engine, snapshots, background, lists, now }: Needed) => ({
  assessmentByUrl: loaderByKey(
    async (urls) => {
      const at = toUnixSeconds(now())
      const requests = urls.flatMap((url) => {
        const found = engine.normalise('url', url)
        return found.kind === 'target' ? [{ url, target: found.target }] : []
      })
      const hosts = [...new Set(requests.filter(({ target }) => needsEvidence(target)).map(({ target }) => target.host))]
      const known = new Map((hosts.length === 0 ? [] : await snapshots.latest(hosts)).map((each) => [each.snapshot.host, each]))
      await engine.prepare(engine.policyVersion)
      return Promise.all(requests.map(async ({ url, target }) => ({ url, decision: await decisionOn(target) })))

      async function decisionOn(target: Target): Promise<Decision> {
        const stored = known.get(target.host)
        if (needsEvidence(target) && (stored === undefined || stored.validUntil <= at)) {
          background.collect({ host: target.host, registrable: target.name.registrable })
        }
        const snapshot = stored?.snapshot ?? engine.snapshotOf(target.host, at, [])
        const override = await lists.overrideFor(target, null, at)
        const listed = await applyLists({ target, snapshot, override }, { engine, lists, at })
        return decideFromSnapshot(listed.snapshot, defaultRequest(target), listed.override, { engine, at }).decision
      }
    },
    ({ url }) => url,
  ),
})
