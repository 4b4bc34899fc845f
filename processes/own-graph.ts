import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KeptPlans, keptPlans } from '../gateway/kept-plans.ts'

const ROOT = join(import.meta.dirname, '..')

/** The supergraph of this version, and what starts before this one planned for it. */
export function ownGraph(): { readonly supergraphSdl: string; readonly plans: KeptPlans } {
  const files = readdirSync(join(ROOT, 'schema'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.graphql'),
  )
  const texts = new Map(files.sort().map((name) => [name, readFileSync(join(ROOT, 'schema', name), 'utf8')]))
  return {
    supergraphSdl: texts.get('supergraph.graphql') ?? '',
    plans: keptPlans(join(ROOT, 'node_modules/.cache/plans'), JSON.stringify([...texts])),
  }
}
