import { z } from 'zod'
import { httpUrl, options, text, wholeNumber } from '../../options/validate-options.ts'

/** A URL without credentials, because it appears in logs and messages. */
const sourceUrl = () =>
  httpUrl().refine((url) => {
    const parsed = URL.parse(url)
    return !parsed || (parsed.username === '' && parsed.password === '')
  }, 'an http or https URL without a user name and a password')

/** Values of headers: errors of `fetch` would quote others, which may be secrets. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/
const VISIBLE = 'visible ASCII characters'

const polled = {
  /** Poll interval in seconds; a source may require a longer one. Default: 10. */
  pollSeconds: wholeNumber(1, 86_400).optional(),
  /**
   * File with the last served supergraph, for a start while the source is unavailable. Default:
   * none.
   */
  lastGoodFile: text('the path of a file').optional(),
}
const fetched = {
  ...polled,
  /** Timeout of a whole response in seconds. Default: 30. */
  timeoutSeconds: wholeNumber(1, 300).optional(),
}

/** Options of the source of a supergraph. */
export const supergraphSourceOptions = z.discriminatedUnion(
  'type',
  [
    options({
      /** A file with a composed supergraph, served again within a second of a change. */
      type: z.literal('file'),
      /** File, relative to the working directory. */
      path: text('the path of a file'),
    }),
    options({
      /**
       * Composes a folder of SDL files: those listed in `supergraph.yaml`, or each
       * `<name>.graphql`.
       */
      type: z.literal('folder'),
      /** Folder, relative to the working directory. */
      path: text('the path of a folder'),
      ...polled,
    }),
    options({
      /** A URL that responds to GET with SDL; polled with `ETag` and `Last-Modified`. */
      type: z.literal('http'),
      url: sourceUrl(),
      /** Headers with credentials, sent to the origin of `url` only. */
      headers: z
        .record(
          text().regex(/^[\w!#$%&'*+.^`|~-]+$/),
          text('the value of a header').regex(HEADER_VALUE, VISIBLE),
          'an object of headers',
        )
        .optional(),
      ...fetched,
    }),
    options({
      /** An object in S3 or a compatible service; requests are signed (AWS Signature Version 4). */
      type: z.literal('s3'),
      bucket: text('the name of a bucket'),
      /** Object key, such as `production/supergraph.graphql`. */
      key: text('the key of an object'),
      /** Default: us-east-1. */
      region: text('a region').optional(),
      /** URL of an S3-compatible service, with the bucket in the path. Default: Amazon S3. */
      endpoint: sourceUrl().optional(),
      accessKeyId: text('an access key').regex(HEADER_VALUE, VISIBLE),
      secretAccessKey: text('a secret access key'),
      /** Session token of temporary credentials. */
      sessionToken: text('a session token').regex(HEADER_VALUE, VISIBLE).optional(),
      ...fetched,
    }),
    options({
      /** Hive's high-availability CDN. */
      type: z.literal('hive'),
      /** `https://cdn.graphql-hive.com/artifacts/v1/<target>`, with or without `/supergraph`. */
      endpoint: sourceUrl(),
      /** CDN access key of the target. */
      key: text('a CDN access key').regex(HEADER_VALUE, VISIBLE),
      ...fetched,
    }),
    options({
      /** Apollo GraphOS, with the Uplink protocol. */
      type: z.literal('uplink'),
      /** Graph reference `<graph>@<variant>`. */
      graphRef: text('a graph reference such as products@current'),
      apiKey: text('an API key of the graph'),
      /** Uplink servers, tried in turn. Default: Apollo's two. */
      urls: z
        .array(sourceUrl(), 'a list of URLs')
        .min(1, 'a list of at least one URL')
        .max(10, 'a list of at most ten URLs')
        .optional(),
      ...fetched,
    }),
  ],
  { error: 'an object whose "type" is file, folder, http, s3, hive or uplink' },
)

/** Source options before validation. */
export type SupergraphSourceOptions = z.input<typeof supergraphSourceOptions>

/** Source options after validation. */
export type ValidSourceOptions = z.output<typeof supergraphSourceOptions>
