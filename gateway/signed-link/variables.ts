import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Config, type Variables, wholeNumber } from '../../platform/config/config.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'

/** Roles of a process. */
export const PROCESS_ROLES = ['all', 'gateway', 'directory', 'social', 'store', 'trust'] as const

const subgraphUrl = (name: string) =>
  ({
    read: z.string().refine((text) => {
      if (!URL.canParse(text)) return false
      const { protocol, pathname, search, hash, username, password } = new URL(text)
      const rest = [search, hash, username, password]
      return ['http:', 'https:'].includes(protocol) && pathname === '/' && rest.every((part) => part === '')
    }, 'an http or https URL without a path and without credentials, such as http://10.0.0.5:4001'),
    default: null,
    unit: null,
    meaning: `Where the ${name} subgraph is, as a process of that role or a balancer before several; required for the roles gateway and store.`,
  }) as const

/** Variables of a multi-process installation. */
export const splitVariables = {
  ATRIUM_ROLE: {
    read: z.enum(PROCESS_ROLES, `one of ${PROCESS_ROLES.join(', ')}`),
    default: 'all',
    unit: null,
    meaning: `What this process is: all, the gateway with REST, MCP and pages, or one subgraph (${PROCESS_ROLES.slice(2).join(', ')}).`,
  },
  LINK_SECRET: {
    read: z
      .string()
      .transform((text) => text.split(','))
      .refine((secrets) => secrets.every((secret) => secret.trim().length >= 32), 'at least 32 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'What gateways sign their requests to subgraphs with, the same in all processes; several, separated by commas: the first signs, each is believed.',
  },
  LINK_SECRET_FILE: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: 'File with what LINK_SECRET would say, for platforms that hand out secrets as files.',
  },
  SUBGRAPH_DIRECTORY_URL: subgraphUrl('directory'),
  SUBGRAPH_SOCIAL_URL: subgraphUrl('social'),
  SUBGRAPH_STORE_URL: subgraphUrl('store'),
  SUBGRAPH_TRUST_URL: subgraphUrl('trust'),
  SUBGRAPH_TIMEOUT_MILLISECONDS: {
    read: wholeNumber(1, 10_000),
    default: '5000',
    unit: 'milliseconds',
    meaning:
      'How long one fetch from a subgraph of another process may take, with its retries; an operation has 10 seconds in all.',
  },
} as const satisfies Variables

type SplitConfig = Config<typeof splitVariables>

/** Secrets of signed links; the first one signs. Throws an `OperatorError` when there are none. */
export function linkSecretsOf({
  LINK_SECRET,
  LINK_SECRET_FILE,
}: Pick<SplitConfig, 'LINK_SECRET' | 'LINK_SECRET_FILE'>): readonly string[] {
  const secrets = LINK_SECRET ?? (LINK_SECRET_FILE === undefined ? null : secretsIn(LINK_SECRET_FILE))
  if (secrets) return secrets.map((secret) => secret.trim())
  throw new OperatorError('Expected LINK_SECRET or LINK_SECRET_FILE to be set, because ATRIUM_ROLE is not "all".')
}

function secretsIn(path: string): readonly string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new OperatorError(`LINK_SECRET_FILE ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
  const result = splitVariables.LINK_SECRET.read.safeParse(text)
  if (!result.success) throw new OperatorError(`Expected LINK_SECRET_FILE to hold at least 32 characters for each secret.`)
  return result.data
}

/** URLs of all subgraphs. Throws one `OperatorError` that names each missing variable. */
export function locationsOf(config: SplitConfig): readonly { readonly name: string; readonly url: string }[] {
  const locations = PROCESS_ROLES.slice(2).map((name) => {
    // `splitVariables` has a URL variable for each subgraph role.
    const variable = `SUBGRAPH_${name.toUpperCase()}_URL` as keyof SplitConfig
    return { name, variable, url: config[variable] }
  })
  const missing = locations.filter(({ url }) => url === undefined)
  if (missing.length > 0) {
    const names = missing.map(({ variable }) => variable).join(', ')
    throw new OperatorError(`Expected ${names} to be set, because ATRIUM_ROLE is "${config.ATRIUM_ROLE}".`)
  }
  return locations.map(({ name, url }) => ({ name, url: `${String(url).replace(/(?<!\/)\/+$/, '')}` }))
}
