import { z } from 'zod'
import { httpUrl, options, text, wholeNumber } from '../../options/validate-options.ts'

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
