import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KeptPlans, keptPlans } from '../../gateway/kept-plans.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The supergraph that is served, and the plans that processes keep for it, as `main.ts` has them. */
export function ourGraph(): { readonly supergraphSdl: string; readonly plans: KeptPlans } {
  const supergraphSdl = readFileSync(join(ROOT, 'schema/supergraph.graphql'), 'utf8')
  return { supergraphSdl, plans: keptPlans(join(ROOT, 'node_modules/.cache/plans'), supergraphSdl) }
}
