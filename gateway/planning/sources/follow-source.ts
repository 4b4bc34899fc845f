import type { Logger } from 'pino'
import { withoutTrailingSlashes } from '../../../platform/text/without-trailing-slashes.ts'
import { folderSource } from './folder-source.ts'
import { followFile } from './follow-file.ts'
import { type FollowedSupergraph, type FollowOptions, followSupergraph } from './follow-supergraph.ts'
import { httpSource } from './http-source.ts'
import { lastGoodFile } from './last-good-file.ts'
import { s3Source } from './s3-source.ts'
import type { SupergraphSource } from './source.ts'
import type { ValidSourceOptions } from './source-options.ts'
import { DEFAULT_UPLINK_URLS, uplinkSource } from './uplink-source.ts'

/** Default poll interval. */
const DEFAULT_POLL_SECONDS = 10
const DEFAULT_TIMEOUT_SECONDS = 30

/** Options of a source that is polled. */
type PolledSourceOptions = Exclude<ValidSourceOptions, { readonly type: 'file' }>

/** Creates the source that the options describe. */
function createSupergraphSource(given: PolledSourceOptions): SupergraphSource {
  const pollSeconds = given.pollSeconds ?? DEFAULT_POLL_SECONDS
  const timeoutMs = 1000 * (('timeoutSeconds' in given ? given.timeoutSeconds : undefined) ?? DEFAULT_TIMEOUT_SECONDS)
  switch (given.type) {
    case 'folder':
      return folderSource({ path: given.path, pollSeconds })
    case 'http': {
      const headers = async () => given.headers ?? {}
      return httpSource({ description: withoutQuery(given.url), url: given.url, pollSeconds, timeoutMs, headers })
    }
    case 's3': {
      const { bucket, key, region = 'us-east-1', endpoint, accessKeyId, secretAccessKey, sessionToken } = given
      const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
      return s3Source({ bucket, key, region, endpoint, credentials, pollSeconds, timeoutMs })
    }
    case 'hive': {
      const url = `${withoutTrailingSlashes(withoutTrailingSlashes(given.endpoint).replace(/\/supergraph$/, ''))}/supergraph`
      const headers = async () => ({ 'x-hive-cdn-key': given.key })
      return httpSource({ description: `Hive CDN ${withoutQuery(url)}`, url, pollSeconds, timeoutMs, headers })
    }
    case 'uplink': {
      const { graphRef, apiKey, urls = DEFAULT_UPLINK_URLS } = given
      return uplinkSource({ graphRef, apiKey, urls, pollSeconds, timeoutMs })
    }
  }
}

/** Follows a source; see `followSupergraph` and `followFile`. */
export const followSource = (
  given: ValidSourceOptions,
  accept: FollowOptions['accept'],
  log: Logger,
): Promise<FollowedSupergraph> =>
  given.type === 'file'
    ? followFile(given.path, accept, log)
    : followSupergraph({
        source: createSupergraphSource(given),
        lastGood: given.lastGoodFile === undefined ? null : lastGoodFile(given.lastGoodFile),
        accept,
        log,
      })

/** URL for messages without its query, which may contain a signature. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
