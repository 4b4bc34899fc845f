import { AwsV4Signer } from 'aws4fetch'
import { withoutTrailingSlashes } from '../../../platform/text/without-trailing-slashes.ts'
import { httpSource } from './http-source.ts'
import type { SupergraphSource } from './source.ts'

/** Options of a source in an S3 bucket. */
export type S3SourceParts = {
  readonly bucket: string
  readonly key: string
  readonly region: string
  /** URL of an S3-compatible service; undefined: Amazon's. */
  readonly endpoint: string | undefined
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
  readonly pollSeconds: number
  readonly timeoutMs: number
}

/**
 * Supergraph source in S3 or a compatible service; each request is signed with the current time.
 */
export function s3Source({ bucket, key, region, endpoint, credentials, ...rest }: S3SourceParts): SupergraphSource {
  const path = key.split('/').map(encodeURIComponent).join('/')
  const url = endpoint
    ? `${withoutTrailingSlashes(endpoint)}/${encodeURIComponent(bucket)}/${path}`
    : `https://${bucket}.s3.${region}.amazonaws.com/${path}`
  return httpSource({
    ...rest,
    description: `s3://${bucket}/${key}`,
    url,
    async headers(conditional) {
      const signed = await new AwsV4Signer({ ...credentials, url, region, service: 's3', headers: conditional }).sign()
      const headers = Object.fromEntries(signed.headers)
      // `fetch` sets the signed `Host` header itself.
      delete headers.host
      return headers
    },
  })
}
