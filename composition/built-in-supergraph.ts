import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FindGrants } from '../gateway/authorization/authorization.ts'
import { createPlanStore, type PlanStore } from '../gateway/planning/plan-store.ts'
import type { Link } from '../gateway/subgraph-client/link.ts'
import { storeGrants } from './store-grants.ts'

const ROOT = join(import.meta.dirname, '..')

/** The supergraph of this version, its stored query plans, and the lookup of caller grants. */
export function builtInSupergraph(): {
  readonly supergraphSdl: string
  readonly plans: PlanStore
  readonly grantsOver: (links: ReadonlyMap<string, Link>) => FindGrants
} {
  const files = readdirSync(join(ROOT, 'schema'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.graphql'),
  )
  const texts = new Map(files.sort().map((name) => [name, readFileSync(join(ROOT, 'schema', name), 'utf8')]))
  return {
    supergraphSdl: texts.get('supergraph.graphql') ?? '',
    plans: createPlanStore(join(ROOT, 'node_modules/.cache/plans'), JSON.stringify([...texts])),
    grantsOver: storeGrants,
  }
}
