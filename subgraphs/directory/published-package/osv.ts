import type { PackageRegistry } from '#generated/directory/resolvers.ts'
import { readJson } from '../../../platform/outbound/http-client.ts'
import { asList, asRecord } from '../import/shape.ts'
import { type PackageName, packageKey } from '../item/package-name.ts'
import { type Request, RunFault } from '../source/request.ts'
import { isMalware } from './malware.ts'

/** A version of a package. */
export type PackageVersion = PackageName & { readonly version: string }

/** Advisories of one version that are kept; more say nothing else. */
export const MAX_ADVISORIES = 20
/** Ids of 100 versions take some kilobytes; old versions have hundreds. Bytes. */
const MAX_ANSWER_BYTES = 2_000_000
const TIMEOUT_MS = 30_000

/** How OSV names registries (https://ossf.github.io/osv-schema/#defined-ecosystems). */
const ECOSYSTEMS: Readonly<Record<PackageRegistry, string>> = { NPM: 'npm', PYPI: 'PyPI' }

/**
 * Ids of the advisories about versions, by `packageKey`, those of malware first, then in the order of their ids.
 * Versions of which nothing was said are absent. One request: OSV takes 1,000 versions in one, and a turn has at most
 * 100. Throws RunFault.
 */
export async function fetchAdvisories(
  versions: readonly PackageVersion[],
  { url, request }: { readonly url: string; readonly request: Request },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const queries = versions.map(({ registry, name, version }) => ({ package: { ecosystem: ECOSYSTEMS[registry], name }, version }))
  const answer = await request(
    new URL(`${url}/v1/querybatch`),
    { accept: 'application/json', maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS, json: { queries } },
    async (response) => asRecord(await readJson(response)),
  )
  const results = asList(answer?.results)
  // They are told apart by their order alone.
  if (results.length !== versions.length) throw new RunFault('INVALID', 'An answer of OSV is not about these packages.')
  return new Map(
    versions.flatMap((one, at): [string, readonly string[]][] => {
      const ids = idsIn(results[at])
      return ids === null ? [] : [[packageKey(one), ids]]
    }),
  )
}

/** An id of OSV's schema, such as `GHSA-29mw-wpgm-hmr9`. */
const ID = /^[A-Za-z0-9]{1,20}-[\w.:-]{1,60}$/

/** Null where nothing is said: what is no list of advisories, or one that is elsewhere. */
function idsIn(result: unknown): readonly string[] | null {
  const { vulns = [], next_page_token: next } = asRecord(result) ?? { vulns: null }
  if (!Array.isArray(vulns)) return null
  const ids = vulns.flatMap((one) => {
    const id = asRecord(one)?.id
    return typeof id === 'string' && ID.test(id) ? id : []
  })
  if (ids.length === 0 && (vulns.length > 0 || next)) return null
  const rank = (id: string): number => (isMalware(id) ? 0 : 1)
  return [...new Set(ids)].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1)).slice(0, MAX_ADVISORIES)
}
