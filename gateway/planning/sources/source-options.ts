import type { Logger } from 'pino'
import { z } from 'zod'
import { httpUrl, options, text, wholeNumber } from '../../options/validate-options.ts'
import { folderSource } from './folder-source.ts'
import { type FollowedSupergraph, type FollowOptions, followSupergraph } from './follow-supergraph.ts'
import { httpSource } from './http-source.ts'
import { lastGoodFile } from './last-good-file.ts'
import { s3Source } from './s3-source.ts'
import type { SupergraphSource } from './source.ts'
import { DEFAULT_UPLINK_URLS, uplinkSource } from './uplink-source.ts'

/** A URL without credentials, which would get into logs and messages. */
const sourceUrl = () =>
  httpUrl().refine((url) => {
    const parsed = URL.parse(url)
    return !parsed || (parsed.username === '' && parsed.password === '')
  }, 'an http or https URL without a user name and a password')

const polled = {
  /** Seconds between two looks; a source may want more. Default: 10. */
  pollSeconds: wholeNumber(1, 86_400).optional(),
  /**
   * File in which the last supergraph that was served is kept, for a start while the source is out
   * of reach. Default: none is kept.
   */
  lastGoodFile: text('the path of a file').optional(),
}
const fetched = {
  ...polled,
  /** Seconds that one answer may take as a whole. Default: 30. */
  timeoutSeconds: wholeNumber(1, 300).optional(),
}

/** Where a supergraph comes from. */
export const supergraphSourceOptions = z.discriminatedUnion(
  'type',
  [
    options({
      /** A folder of SDL files, composed: those of `supergraph.yaml`, or each `<name>.graphql`. */
      type: z.literal('folder'),
      path: text('the path of a folder'),
      ...polled,
    }),
    options({
      /** A URL that answers GET with SDL; `ETag` and `Last-Modified` are used. */
      type: z.literal('http'),
      url: sourceUrl(),
      /** Headers with credentials; they are sent to the origin of `url` only. */
      headers: z.record(text(), text('the value of a header'), 'an object of headers').optional(),
      ...fetched,
    }),
    options({
      /** An object of a service that speaks S3's protocol; requests are signed (AWS Signature 4). */
      type: z.literal('s3'),
      bucket: text('the name of a bucket'),
      /** Key of the object, such as `production/supergraph.graphql`. */
      key: text('the key of an object'),
      /** Default: us-east-1. */
      region: text('a region').optional(),
      /** Service other than Amazon's; the bucket is the first part of its path. */
      endpoint: sourceUrl().optional(),
      accessKeyId: text('an access key'),
      secretAccessKey: text('a secret access key'),
      /** Of temporary credentials. */
      sessionToken: text('a session token').optional(),
      ...fetched,
    }),
    options({
      /** The high-availability CDN of Hive. */
      type: z.literal('hive'),
      /** `https://cdn.graphql-hive.com/artifacts/v1/<target>`, with or without `/supergraph`. */
      endpoint: sourceUrl(),
      /** CDN access key of the target. */
      key: text('a CDN access key'),
      ...fetched,
    }),
    options({
      /** Apollo GraphOS, by the Uplink protocol. */
      type: z.literal('uplink'),
      /** `<graph>@<variant>`. */
      graphRef: text('a graph reference such as products@current'),
      apiKey: text('an API key of the graph'),
      /** Asked in turns. Default: the two of Apollo. */
      urls: z
        .array(sourceUrl(), 'a list of URLs')
        .min(1, 'a list of at least one URL')
        .max(10, 'a list of at most ten URLs')
        .optional(),
      ...fetched,
    }),
  ],
  { error: 'an object whose "type" is folder, http, s3, hive or uplink' },
)

/** Where a supergraph comes from, as a program says it. */
export type SupergraphSourceOptions = z.input<typeof supergraphSourceOptions>

/** The same, validated. */
export type ValidSourceOptions = z.output<typeof supergraphSourceOptions>

/** Seconds between two looks, where options say nothing. */
const DEFAULT_POLL_SECONDS = 10
const DEFAULT_TIMEOUT_SECONDS = 30

/** The source that options describe. */
function createSupergraphSource(given: ValidSourceOptions): SupergraphSource {
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
      const url = `${given.endpoint.replace(/\/+(?:supergraph\/*)?$|\/supergraph$/, '')}/supergraph`
      const headers = async () => ({ 'x-hive-cdn-key': given.key })
      return httpSource({ description: `Hive CDN ${withoutQuery(url)}`, url, pollSeconds, timeoutMs, headers })
    }
    case 'uplink': {
      const { graphRef, apiKey, urls = DEFAULT_UPLINK_URLS } = given
      return uplinkSource({ graphRef, apiKey, urls, pollSeconds, timeoutMs })
    }
  }
}

/** Follows the supergraph of a source; see `followSupergraph`. */
export const followSource = (
  given: ValidSourceOptions,
  accept: FollowOptions['accept'],
  log: Logger,
): Promise<FollowedSupergraph> =>
  followSupergraph({
    source: createSupergraphSource(given),
    lastGood: given.lastGoodFile === undefined ? null : lastGoodFile(given.lastGoodFile),
    accept,
    log,
  })

/** A URL for messages: its query may be a signature. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
