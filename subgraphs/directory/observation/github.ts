import { z } from 'zod'
import { readJson } from '../../../platform/outbound/http-client.ts'
import { etagIn, isGone, type Request, RunFault } from '../source/request.ts'

/** What GitHub says of a repository. */
export type GithubAnswer =
  | { readonly kind: 'same' }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'found'
      readonly etag: string | null
      readonly stars: number
      readonly archived: boolean
      readonly license: string | null
      readonly pushedAt: Date | null
      readonly createdAt: Date | null
    }

/** An answer takes 6 kB. Bytes. */
const MAX_ANSWER_BYTES = 200_000
const TIMEOUT_MS = 20_000
const MAX_STARS = 2_147_483_647

const REPOSITORY = z.object({
  stargazers_count: z.int().min(0).max(MAX_STARS),
  archived: z.boolean(),
  // `NOASSERTION`: a licence that GitHub does not recognise.
  license: z.looseObject({ spdx_id: z.string().max(60).nullish() }).nullish(),
  pushed_at: z.iso.datetime({ offset: true }).nullish(),
  created_at: z.iso.datetime({ offset: true }).nullish(),
})

/** Reads what GitHub's API says of "owner/repository", unless it is the answer with this validator. Throws RunFault. */
export async function fetchRepository(
  repository: string,
  { apiUrl, token, etag, request }: { apiUrl: string; token: string | null; etag: string | null; request: Request },
): Promise<GithubAnswer> {
  const url = new URL(`${apiUrl}/repos/${repository.split('/').map(encodeURIComponent).join('/')}`)
  const headers = {
    'x-github-api-version': '2022-11-28',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(etag !== null && { 'if-none-match': etag }),
  }
  const options = { accept: 'application/vnd.github+json', maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS, headers }
  try {
    return await request(url, options, async (response) => {
      if (response.status === 304) return { kind: 'same' }
      const parsed = REPOSITORY.safeParse(await readJson(response))
      if (!parsed.success) throw new RunFault('INVALID', 'An answer is not a repository.')
      const { stargazers_count: stars, archived, license, pushed_at: pushedAt, created_at: createdAt } = parsed.data
      const spdx = license?.spdx_id
      return {
        kind: 'found',
        etag: etagIn(response),
        stars,
        archived,
        license: spdx != null && /^[A-Za-z0-9.+-]+$/.test(spdx) && spdx !== 'NOASSERTION' ? spdx : null,
        pushedAt: pushedAt ? new Date(pushedAt) : null,
        createdAt: createdAt ? new Date(createdAt) : null,
      }
    })
  } catch (error) {
    if (isGone(error)) return { kind: 'missing' }
    throw error
  }
}
