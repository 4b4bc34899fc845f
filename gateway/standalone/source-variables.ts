import { z } from 'zod'
import { type Config, urlWithProtocol, type Variables, wholeNumber } from '../../platform/config/config.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { validateOptions } from '../options/validate-options.ts'
import { supergraphSourceOptions, type ValidSourceOptions } from '../planning/sources/source-options.ts'

const httpUrl = urlWithProtocol(['http:', 'https:'], 'an http or https URL')

/** A secret that is valid in a header. */
const headerSecret = z.string().regex(/^[\x21-\x7e ]*$/, 'visible ASCII characters')

/** Variables for the source of the supergraph. */
export const sourceVariables = {
  SUPERGRAPH_FILE: {
    read: z.string(),
    default: null,
    unit: null,
    meaning:
      'File with a composed federation 2 supergraph whose join__Graph says where its subgraphs are; this or another source is required.',
  },
  SUPERGRAPH_FOLDER: {
    read: z.string(),
    default: null,
    unit: null,
    meaning:
      'Folder of the SDL files of subgraphs, composed at the start and after each change: those of supergraph.yaml (as for rover), or each <name>.graphql.',
  },
  SUPERGRAPH_URL: {
    read: urlWithProtocol(['http:', 'https:', 's3:'], 'an http or https URL, or s3://bucket/key'),
    default: null,
    unit: null,
    meaning: 'URL of a composed supergraph, or s3://bucket/key; an unchanged one is not sent again (ETag).',
  },
  SUPERGRAPH_AUTHORIZATION: {
    read: headerSecret,
    default: null,
    unit: null,
    secret: true,
    meaning: 'Header Authorization for SUPERGRAPH_URL, such as "Bearer …"; it goes to the origin of that URL only.',
  },
  SUPERGRAPH_POLL_SECONDS: {
    read: wholeNumber(1, 86_400),
    default: '10',
    unit: 'seconds',
    meaning: 'Pause between two looks at the source of the supergraph, other than a file; a source may want a longer one.',
  },
  SUPERGRAPH_LAST_GOOD_FILE: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: 'File for the last served supergraph, for a start while its source is unavailable; unset, there is none.',
  },
  HIVE_CDN_ENDPOINT: {
    read: httpUrl,
    default: null,
    unit: null,
    meaning: 'Endpoint of a target on the CDN of Hive, such as https://cdn.graphql-hive.com/artifacts/v1/<target>.',
  },
  HIVE_CDN_KEY: {
    read: headerSecret,
    default: null,
    unit: null,
    secret: true,
    meaning: 'CDN access key of the target; required with HIVE_CDN_ENDPOINT.',
  },
  APOLLO_GRAPH_REF: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: 'Graph of Apollo GraphOS, <graph>@<variant>, whose supergraph comes from Uplink.',
  },
  APOLLO_KEY: {
    read: headerSecret,
    default: null,
    unit: null,
    secret: true,
    meaning: 'API key of that graph; required with APOLLO_GRAPH_REF.',
  },
  APOLLO_UPLINK_ENDPOINTS: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: "URLs of Uplink, separated by commas, queried in turns; unset, Apollo's two.",
  },
  AWS_REGION: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: 'Region of the bucket of an s3:// URL; unset, us-east-1.',
  },
  AWS_ENDPOINT_URL_S3: {
    read: httpUrl,
    default: null,
    unit: null,
    meaning: "Service that speaks S3's protocol, for s3:// URLs; unset, Amazon's.",
  },
  AWS_ACCESS_KEY_ID: {
    read: headerSecret,
    default: null,
    unit: null,
    secret: true,
    meaning: 'Access key that may read the object of an s3:// URL; required with one.',
  },
  AWS_SECRET_ACCESS_KEY: {
    read: z.string(),
    default: null,
    unit: null,
    secret: true,
    meaning: 'Secret of that access key; required with an s3:// URL.',
  },
  AWS_SESSION_TOKEN: {
    read: headerSecret,
    default: null,
    unit: null,
    secret: true,
    meaning: 'Session token of temporary credentials for an s3:// URL.',
  },
} as const satisfies Variables

type SourceConfig = { readonly [Name in keyof typeof sourceVariables]: Config<typeof sourceVariables>[Name] }

/** Variables that select the source. */
const CHOOSING = ['SUPERGRAPH_FILE', 'SUPERGRAPH_FOLDER', 'SUPERGRAPH_URL', 'HIVE_CDN_ENDPOINT', 'APOLLO_GRAPH_REF'] as const

/** A source, and what messages call its supergraph. */
export type SupergraphOrigin = { readonly subject: string; readonly options: ValidSourceOptions }

/**
 * Source selected by settings, otherwise `fromFile`, that of the configuration file. Throws an
 * `OperatorError` unless exactly one is selected and complete.
 */
export function supergraphOriginFromConfig(config: SourceConfig, fromFile?: ValidSourceOptions): SupergraphOrigin {
  const chosen = CHOOSING.filter((name) => (config[name] ?? '') !== '')
  const [name] = chosen
  const { SUPERGRAPH_POLL_SECONDS: pollSeconds, SUPERGRAPH_LAST_GOOD_FILE: lastGoodFile } = config
  const polled = { pollSeconds, ...(lastGoodFile && { lastGoodFile }) }
  if (name === undefined && fromFile) {
    return fromFile.type === 'file' ? fileOrigin(fromFile.path, 'The supergraph file') : polledOrigin({ ...fromFile, ...polled })
  }
  if (name === undefined) {
    throw new OperatorError(
      `Expected SUPERGRAPH_FILE to name a file with a composed supergraph, or --supergraph FILE, or another source: ${CHOOSING.slice(1).join(', ')}, or "supergraph" of a configuration file.`,
    )
  }
  if (chosen.length > 1) throw new OperatorError(`Expected one source of the supergraph, got ${chosen.join(' and ')}.`)
  const value = config[name] ?? ''
  if (name === 'SUPERGRAPH_FILE') return fileOrigin(value, name)
  // The file of another source has another graph, which an outage at the start would serve.
  const isOfOther = fromFile !== undefined && 'lastGoodFile' in fromFile && fromFile.lastGoodFile === lastGoodFile
  const polling = isOfOther ? { pollSeconds } : polled
  return polledOrigin(validateOptions(supergraphSourceOptions, { ...optionsOf(name, value, config), ...polling }))
}

const fileOrigin = (path: string, name: string): SupergraphOrigin => ({
  subject: `${name} ${path}`,
  options: { type: 'file', path },
})

const polledOrigin = (options: ValidSourceOptions): SupergraphOrigin => ({
  subject: 'The supergraph of the source',
  options,
})

function optionsOf(name: Exclude<(typeof CHOOSING)[number], 'SUPERGRAPH_FILE'>, value: string, config: SourceConfig): object {
  switch (name) {
    case 'SUPERGRAPH_FOLDER':
      return { type: 'folder', path: value }
    case 'SUPERGRAPH_URL': {
      if (value.startsWith('s3:')) return bucketOptionsOf(value, config)
      const { SUPERGRAPH_AUTHORIZATION: authorization } = config
      return { type: 'http', url: value, ...(authorization && { headers: { authorization } }) }
    }
    case 'HIVE_CDN_ENDPOINT':
      return { type: 'hive', endpoint: value, key: required('HIVE_CDN_KEY', name, config) }
    case 'APOLLO_GRAPH_REF': {
      const urls = config.APOLLO_UPLINK_ENDPOINTS?.split(',').map((url) => url.trim())
      return { type: 'uplink', graphRef: value, apiKey: required('APOLLO_KEY', name, config), ...(urls && { urls }) }
    }
  }
}

function bucketOptionsOf(url: string, config: SourceConfig): object {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/?#@]+)\/(.+)$/.exec(url) ?? []
  if (key === '') throw new OperatorError('Expected SUPERGRAPH_URL to be s3://bucket/key.')
  const { AWS_REGION: region, AWS_ENDPOINT_URL_S3: endpoint, AWS_SESSION_TOKEN: sessionToken } = config
  return {
    type: 's3',
    bucket,
    key,
    accessKeyId: required('AWS_ACCESS_KEY_ID', 'an s3:// URL', config),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY', 'an s3:// URL', config),
    ...(region && { region }),
    ...(endpoint && { endpoint }),
    ...(sessionToken && { sessionToken }),
  }
}

function required(name: keyof SourceConfig, by: string, config: SourceConfig): string {
  const value = config[name]
  if (typeof value === 'string' && value !== '') return value
  throw new OperatorError(`Expected ${name} to be set: ${by} needs it.`)
}
