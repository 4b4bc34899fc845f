import { AwsV4Signer } from 'aws4fetch'
import { withoutTrailingSlashes } from '../../../platform/text/without-trailing-slashes.ts'
import { httpSource } from './http-source.ts'
import type { SupergraphSource } from './source.ts'

/** The parts of a source in a bucket. */
export type S3SourceParts = {
  readonly bucket: string
  readonly key: string
  readonly region: string
  /** A service other than Amazon's. */
  readonly endpoint: string | undefined
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
  readonly pollSeconds: number
  readonly timeoutMs: number
}

/** An object of a service that speaks S3's protocol; every request is signed at its own time. */
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
      // It is signed; fetch sets it by itself.
      delete headers.host
      return headers
    },
  })
}
