import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KeptPlans, keptPlans } from '../gateway/kept-plans.ts'

const ROOT = join(import.meta.dirname, '..')

/** The supergraph of this version, and what starts before this one planned for it. */
export function ownGraph(): { readonly supergraphSdl: string; readonly plans: KeptPlans } {
  const supergraphSdl = readFileSync(join(ROOT, 'schema/supergraph.graphql'), 'utf8')
  return { supergraphSdl, plans: keptPlans(join(ROOT, 'node_modules/.cache/plans'), supergraphSdl) }
}
