import { ownValue } from '../../../platform/collections/lookup-table.ts'
import { readJson } from '../../../platform/outbound/http-client.ts'
import { asRecord } from '../import/shape.ts'
import { statedLicense } from '../item/license.ts'
import { etagIn, isGone, type Request, RunFault } from '../source/request.ts'
import {
  type DuePackage,
  githubRepositoryIn,
  type PackageAnswer,
  type PackageFacts,
  reasonIn,
  timeIn,
  versionIn,
} from './facts.ts'

/** All versions of a package take 0.1 to 5 MB. Bytes. */
const MAX_PACKAGE_BYTES = 10_000_000
/** 128 counts take 15 kB. Bytes. */
const MAX_DOWNLOADS_BYTES = 100_000
const TIMEOUT_MS = 30_000
/** Names of one request for counts, by the API; only those without a scope may stand together. */
const MAX_NAMES = 128
/** Largest number of GraphQL's Int; a few packages have more downloads. */
const MAX_INTEGER = 2_147_483_647

type Options = { readonly url: string; readonly request: Request; readonly now: Date }

/** Reads the newest version of a package, unless it is the answer with this validator. Throws RunFault. */
export async function fetchNpmPackage({ name, etag }: DuePackage, { url, request, now }: Options): Promise<PackageAnswer> {
  const address = new URL(`${url}/${name.replace('/', '%2f')}`)
  const headers = { ...(etag !== null && { 'if-none-match': etag }) }
  try {
    return await request(
      address,
      { accept: 'application/json', maxBytes: MAX_PACKAGE_BYTES, timeoutMs: TIMEOUT_MS, headers },
      async (response): Promise<PackageAnswer> => {
        if (response.status === 304) return { kind: 'same' }
        const answer = asRecord(await readJson(response))
        // Unpublished as a whole: what is left is its name and the time.
        if (answer?.name === name && answer.versions === undefined) return { kind: 'missing' }
        return { kind: 'found', etag: etagIn(response), facts: factsOf(answer, name, now) }
      },
    )
  } catch (error) {
    if (isGone(error)) return { kind: 'missing' }
    throw error
  }
}

/** Scripts that npm runs when it installs a package. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'] as const

/** Throws INVALID for what is not about this package. */
function factsOf(answer: Readonly<Record<string, unknown>> | null, name: string, now: Date): PackageFacts {
  const version = versionIn(asRecord(answer?.['dist-tags'])?.latest)
  const manifest = version === null ? null : asRecord(ownValue(asRecord(answer?.versions) ?? {}, version))
  if (answer?.name !== name || version === null || manifest?.name !== name)
    throw new RunFault('INVALID', 'An answer is not the package.')
  const { deprecated, license, repository } = manifest
  const scripts = asRecord(manifest.scripts) ?? {}
  return {
    version,
    publishedAt: timeIn(ownValue(asRecord(answer.time) ?? {}, version), now),
    license: statedLicense(asRecord(license)?.type ?? license),
    isWithdrawn: deprecated === true || (typeof deprecated === 'string' && deprecated !== ''),
    withdrawnReason: reasonIn(deprecated),
    repository: githubRepositoryIn(asRecord(repository)?.url ?? repository),
    hasInstallScript: manifest.hasInstallScript === true || INSTALL_SCRIPTS.some((script) => Object.hasOwn(scripts, script)),
    hasProvenance: asRecord(asRecord(asRecord(manifest.dist)?.attestations)?.provenance) !== null,
  }
}

/** Downloads of the last 30 days by name; names that have none are left out. Throws RunFault. */
export async function fetchNpmDownloads(
  names: readonly string[],
  { url, request }: Pick<Options, 'url' | 'request'>,
): Promise<ReadonlyMap<string, number>> {
  const answer = await request(
    new URL(`${url}/downloads/point/last-month/${names.join(',')}`),
    { accept: 'application/json', maxBytes: MAX_DOWNLOADS_BYTES, timeoutMs: TIMEOUT_MS },
    async (response) => asRecord(await readJson(response)),
  )
  const counts = new Map<string, number>()
  for (const name of names) {
    const counted = asRecord(names.length === 1 ? answer : ownValue(answer ?? {}, name))
    const count = counted?.package === name ? counted.downloads : null
    if (typeof count === 'number' && Number.isInteger(count) && count >= 0) counts.set(name, Math.min(count, MAX_INTEGER))
  }
  return counts
}

/** Names as requests for counts may have them. */
export function downloadGroups(names: readonly string[]): readonly (readonly string[])[] {
  const plain = names.filter((name) => !name.startsWith('@'))
  const groups: (readonly string[])[] = []
  for (let start = 0; start < plain.length; start += MAX_NAMES) groups.push(plain.slice(start, start + MAX_NAMES))
  return [...groups, ...names.filter((name) => name.startsWith('@')).map((name) => [name])]
}
