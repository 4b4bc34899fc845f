import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'graphql'
import type { FindGrants } from '../gateway/authorization/authorization.ts'
import { createPlanStore, type PlanStore } from '../gateway/planning/plan-store.ts'
import { type ParsedSupergraph, readSupergraph } from '../gateway/planning/supergraph.ts'
import type { Link } from '../gateway/subgraph-client/link.ts'
import { once } from '../platform/collections/once.ts'
import { storeGrants } from './store-grants.ts'

const ROOT = join(import.meta.dirname, '..')

/** The texts of the SDL by their names. */
const readSdl = once((): ReadonlyMap<string, string> => {
  const files = readdirSync(join(ROOT, 'schema'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.graphql'),
  )
  return new Map(files.sort().map((name) => [name, readFileSync(join(ROOT, 'schema', name), 'utf8')]))
})

/** Gateways of one process share it with its planner: both take 0.3 s of processor time. */
let supergraph: ParsedSupergraph | null = null

/** The supergraph of this version, its stored query plans, and the lookup of caller grants. */
export function builtInSupergraph(): {
  readonly supergraphSdl: string
  readonly supergraph: () => ParsedSupergraph
  readonly plans: PlanStore
  readonly grantsOver: (links: ReadonlyMap<string, Link>) => FindGrants
} {
  const texts = readSdl()
  const supergraphSdl = texts.get('supergraph.graphql') ?? ''
  const plans = createPlanStore(join(ROOT, 'node_modules/.cache/plans'), JSON.stringify([...texts]))
  return {
    supergraphSdl,
    supergraph() {
      supergraph ??= read()
      return supergraph
    },
    plans,
    grantsOver: storeGrants,
  }

  function read(): ParsedSupergraph {
    const isKnown = !plans.isEmpty
    const stored = isKnown ? plans.schema() : null
    const document = parse(supergraphSdl, { noLocation: true })
    const read = readSupergraph(document, { isKnown, stored })
    if (!stored) plans.addSchema(read.schemaToStore)
    return { supergraph: read, document }
  }
}
