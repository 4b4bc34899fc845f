import { createHmac } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'

/** Keys of an AWS account or role. */
export type AwsCredentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** Options for signing requests to a subgraph. */
export type SigningOptions =
  | {
      readonly kind: 'aws-sigv4'
      readonly region: string
      readonly service: string
      /** Credentials, or a function that returns the current ones per request. */
      readonly credentials: AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>)
    }
  | { readonly kind: 'hmac'; readonly secret: string; readonly header: string }
  | { readonly kind: 'hmac-extension'; readonly secret: string; readonly extension: string }

/** Signature of a request as headers; must be added last. */
export type SignHeaders = (request: {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>

/** Headers that proxies may change, so the signature does not cover them. */
const UNSIGNED = new Set(['accept-encoding', 'traceparent', 'x-forwarded-for', 'x-request-id'])

/** Signer by headers: AWS Signature Version 4, or HMAC of the body; null for other kinds. */
export function createHeaderSigner(options: SigningOptions): SignHeaders | null {
  switch (options.kind) {
    case 'hmac':
      return ({ body }) => ({ [options.header]: `sha256=${createHmac('sha256', options.secret).update(body).digest('hex')}` })
    case 'aws-sigv4': {
      const { region, service, credentials } = options
      return async ({ url, headers, body }) => {
        const keys = typeof credentials === 'function' ? await credentials() : credentials
        const signable = Object.entries(headers).filter(([name]) => !UNSIGNED.has(name) && !name.startsWith('x-amz-'))
        const signer = new AwsV4Signer({
          method: 'POST',
          url,
          headers: signable.map(([name, value]) => [name, value]),
          body,
          region,
          service,
          accessKeyId: keys.accessKeyId,
          secretAccessKey: keys.secretAccessKey,
          ...(keys.sessionToken !== undefined && { sessionToken: keys.sessionToken }),
        })
        const signed = await signer.sign()
        const added = [...signed.headers].filter(([name]) => name === 'authorization' || name.startsWith('x-amz-'))
        return Object.fromEntries(added)
      }
    }
    case 'hmac-extension':
      return null
  }
}

/** The signature of a GraphQL request, for its `extensions`. */
export type SignExtension = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
) => readonly [name: string, value: string]

/**
 * HMAC-SHA256 in Base64 of `{"query":…,"variables":…}` with sorted keys and without empty
 * variables, as Hive's subgraph plugin verifies it. Null for other kinds.
 */
export function createExtensionSigner(options: SigningOptions): SignExtension | null {
  if (options.kind !== 'hmac-extension') return null
  const { secret, extension } = options
  return (query, variables) => {
    const signed = sorted({ query, ...(Object.keys(variables).length > 0 && { variables }) })
    return [extension, createHmac('sha256', secret).update(signed).digest('base64')]
  }
}

/** JSON with sorted keys (by code unit); undefined values are left out. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => (each === undefined ? 'null' : sorted(each))).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${sorted(inner)}`).join(',')}}`
}
