import { readJson } from '../../../platform/outbound/http-client.ts'
import { asList, asRecord } from '../import/shape.ts'
import { statedLicense } from '../item/license.ts'
import { pypiName } from '../item/package-name.ts'
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

/** A package with many releases takes 1 to 5 MB. Bytes. */
const MAX_PACKAGE_BYTES = 10_000_000
/** Attestations of a file take 10 kB. Bytes. */
const MAX_PROVENANCE_BYTES = 500_000
const TIMEOUT_MS = 30_000

type Options = { readonly url: string; readonly request: Request; readonly now: Date }

/** Reads the newest version of a package, unless it is the answer with this validator. Throws RunFault. */
export async function fetchPypiPackage({ name, etag }: DuePackage, { url, request, now }: Options): Promise<PackageAnswer> {
  const headers = { ...(etag !== null && { 'if-none-match': etag }) }
  try {
    const answer = await request(
      new URL(`${url}/pypi/${name}/json`),
      { accept: 'application/json', maxBytes: MAX_PACKAGE_BYTES, timeoutMs: TIMEOUT_MS, headers },
      async (response) =>
        response.status === 304 ? null : { etag: etagIn(response), ...factsOf(asRecord(await readJson(response)), name, now) },
    )
    if (answer === null) return { kind: 'same' }
    const { etag: validator, file, facts } = answer
    const hasProvenance = file === null ? null : await isAttested({ name, version: facts.version, file }, { url, request })
    // Without the validator the next observation reads it again, and its attestation.
    const isComplete = file === null || hasProvenance !== null
    return { kind: 'found', etag: isComplete ? validator : null, facts: { ...facts, hasProvenance } }
  } catch (error) {
    if (isGone(error)) return { kind: 'missing' }
    throw error
  }
}

/** Links that name the source of a package, the likeliest first. */
const SOURCE_LINKS = [/^(?:source|repository|code|github|git)\b/i, /^home/i, /./]

/** The facts, and the name of a file of the newest version. Throws INVALID for what is not about this package. */
function factsOf(
  answer: Readonly<Record<string, unknown>> | null,
  name: string,
  now: Date,
): { readonly file: string | null; readonly facts: PackageFacts } {
  const about = asRecord(answer?.info)
  const version = versionIn(about?.version)
  const isNamed = typeof about?.name === 'string' && pypiName(about.name) === name
  if (!about || !isNamed || version === null) throw new RunFault('INVALID', 'An answer is not the package.')
  const files = asList(answer?.urls)
    .slice(0, MAX_FILES)
    .map((file) => asRecord(file) ?? {})
  const isYanked = about.yanked === true || (files.length > 0 && files.every(({ yanked }) => yanked === true))
  const wheel = files.find(({ packagetype }) => packagetype === 'bdist_wheel')
  const filename = (wheel ?? files[0])?.filename
  return {
    file: typeof filename === 'string' && /^[\w.+!-]{1,250}$/.test(filename) ? filename : null,
    facts: {
      version,
      publishedAt: timeIn(files[0]?.upload_time_iso_8601, now),
      // The expression of PEP 639, or the free text before it.
      license: statedLicense(about.license_expression) ?? statedLicense(about.license),
      isWithdrawn: isYanked,
      withdrawnReason: isYanked ? reasonIn(about.yanked_reason) : null,
      repository: repositoryIn(about),
      hasInstallScript: files.length === 0 ? null : wheel === undefined,
      hasProvenance: null,
    },
  }
}

/** Files and links of one version that are looked at. */
const MAX_FILES = 500
const MAX_LINKS = 50

function repositoryIn({ project_urls: urls, home_page: home }: Readonly<Record<string, unknown>>): string | null {
  const links = [...Object.entries(asRecord(urls) ?? {}).slice(0, MAX_LINKS), ['home', home] as const]
  for (const form of SOURCE_LINKS) {
    for (const [label, address] of links) {
      const repository = form.test(label) ? githubRepositoryIn(address) : null
      if (repository !== null) return repository
    }
  }
  return null
}

/** Whether PyPI has attestations of a file (PEP 740); null where it does not say: the facts of the package count alone. */
async function isAttested(
  { name, version, file }: { readonly name: string; readonly version: string | null; readonly file: string },
  { url, request }: Pick<Options, 'url' | 'request'>,
): Promise<boolean | null> {
  try {
    return await request(
      new URL(`${url}/integrity/${name}/${version}/${file}/provenance`),
      { accept: 'application/vnd.pypi.integrity.v1+json', maxBytes: MAX_PROVENANCE_BYTES, timeoutMs: TIMEOUT_MS },
      async (response) => asList(asRecord(await readJson(response))?.attestation_bundles).length > 0,
    )
  } catch (error) {
    if (isGone(error)) return false
    if (error instanceof RunFault && error.problem !== 'INTERNAL') return null
    throw error
  }
}
