import { z } from 'zod'
import { telemetryVariables } from './gateway/observability/variables.ts'
import { splitVariables } from './gateway/signed-link/variables.ts'
import { gatewaySettings } from './gateway/standalone/config.ts'
import { urlWithProtocol, wholeNumber } from './platform/config/config.ts'
import { proxyVariables } from './platform/http/trusted-proxies.ts'
import { mailVariables } from './platform/mail/variables.ts'
import { secretsVariables } from './platform/secrets/variables.ts'
import { directoryVariables } from './subgraphs/directory/variables.ts'
import { socialVariables } from './subgraphs/social/variables.ts'
import { auditVariables } from './subgraphs/store/audit-entry/variables.ts'
import { checkoutVariables } from './subgraphs/store/checkout/variables.ts'
import { fileVariables } from './subgraphs/store/file/variables.ts'
import { storeQuotaVariables } from './subgraphs/store/quota/variables.ts'
import { webhookVariables } from './subgraphs/store/webhook-delivery/variables.ts'
import { collectorVariables } from './subgraphs/trust/collectors/variables.ts'
import { trustVariables } from './subgraphs/trust/variables.ts'

/**
 * The variables of `npm start` and of `npx atrium`: the whole configuration. `--help` and
 * docs/reference/settings.md list them.
 */
export const variables = {
  PORT: gatewaySettings.PORT,
  HOST: gatewaySettings.HOST,
  PUBLIC_URL: {
    read: urlWithProtocol(['http:', 'https:'], 'an http or https URL').transform((url) => url.replace(/\/+$/, '')),
    default: null,
    unit: null,
    meaning: 'What clients see in front of /api and /graphql, for absolute links; unset, it is made from HOST and PORT.',
  },
  ...proxyVariables,
  DATA_DIR: {
    read: z.string(),
    default: '.data',
    unit: null,
    meaning:
      'Folder of the embedded database when DATABASE_URL is unset, of stored files when FILES_DIR is, and of the file of a large directory.',
  },
  DATABASE_URL: {
    read: urlWithProtocol(['postgres:', 'postgresql:'], 'a URL such as postgres://user:password@host:5432/database'),
    default: null,
    unit: null,
    secret: true,
    meaning: 'A PostgreSQL 15 or newer to use; unset, an embedded one runs in DATA_DIR.',
  },
  DATABASE_REPLICA_URL: {
    read: urlWithProtocol(['postgres:', 'postgresql:'], 'a URL such as postgres://user:password@host:5432/database'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'A streaming replica of DATABASE_URL for queries of the store and social subgraphs, except by callers that have just written; unset, there is none.',
  },
  DATABASE_POOLER_URL: {
    read: urlWithProtocol(['postgres:', 'postgresql:'], 'a URL such as postgres://user:password@host:6432/atrium_{subgraph}'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'A pooler in transaction mode in front of DATABASE_URL, for the statements of the subgraphs; `{subgraph}` in it becomes the name of the subgraph. Unset, they use DATABASE_URL.',
  },
  EVENTS_RELAY_URL: {
    read: urlWithProtocol(['redis:', 'rediss:'], 'a URL such as redis://user:password@host:6379'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'A Redis that relays events of subscriptions between copies of a subgraph, so that one copy reads them from the database for all; unset, each copy reads them.',
  },
  LOG_LEVEL: gatewaySettings.LOG_LEVEL,
  SLOW_OPERATION_MILLISECONDS: gatewaySettings.SLOW_OPERATION_MILLISECONDS,
  LOAD_LIMIT: gatewaySettings.LOAD_LIMIT,
  MAX_SUBSCRIPTIONS_PER_ADDRESS: gatewaySettings.MAX_SUBSCRIPTIONS_PER_ADDRESS,
  MAX_SUBSCRIPTIONS_PER_CREDENTIAL: gatewaySettings.MAX_SUBSCRIPTIONS_PER_CREDENTIAL,
  SUBSCRIPTION_MEMORY_PERCENT: gatewaySettings.SUBSCRIPTION_MEMORY_PERCENT,
  ENGINE: {
    read: z.enum(['atrium', 'apollo'], 'one of atrium, apollo'),
    default: 'atrium',
    unit: null,
    meaning:
      'What executes /graphql: atrium, or for comparison apollo: stock Apollo Server and Gateway, from development dependencies, without subscriptions; refused under NODE_ENV=production.',
  },
  DEPTH_LIMIT: gatewaySettings.DEPTH_LIMIT,
  COST_LIMIT: gatewaySettings.COST_LIMIT,
  BATCH_LIMIT: gatewaySettings.BATCH_LIMIT,
  PERSISTED_MANIFEST: gatewaySettings.PERSISTED_MANIFEST,
  PERSISTED_ONLY: gatewaySettings.PERSISTED_ONLY,
  INTROSPECTION: gatewaySettings.INTROSPECTION,
  EXPLORER: gatewaySettings.EXPLORER,
  QUERY_TRACES: gatewaySettings.QUERY_TRACES,
  QUERY_TRACE_TOKEN: gatewaySettings.QUERY_TRACE_TOKEN,
  COST_PROFILE: gatewaySettings.COST_PROFILE,
  COST_SCALAR: gatewaySettings.COST_SCALAR,
  COST_OBJECT: gatewaySettings.COST_OBJECT,
  COST_LIST_FACTOR: gatewaySettings.COST_LIST_FACTOR,
  COST_BUDGET: gatewaySettings.COST_BUDGET,
  REDIS_URL: gatewaySettings.REDIS_URL,
  MCP_HOSTS: {
    read: z
      .string()
      .regex(/^[\w.:[\]-]+(,[\w.:[\]-]+)*$/, 'host names, separated by commas')
      .transform((text) => text.split(',')),
    default: null,
    unit: null,
    meaning:
      'Host names besides that of PUBLIC_URL, and those of this machine while HOST is one of them, under which clients reach /mcp, and whose web pages may use it, separated by commas.',
  },
  METRICS: gatewaySettings.METRICS,
  METRICS_PORT: gatewaySettings.METRICS_PORT,
  METRICS_TOKEN: gatewaySettings.METRICS_TOKEN,
  OPERATIONS_TOKEN: {
    read: z.string().min(16, 'at least 16 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning: 'Password of the page /operations, with any user name; unset, there is no such page.',
  },
  CONSOLE_SECRET: {
    read: z.string().min(32, 'at least 32 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'What sessions of /console and /account are encrypted with; unset, they end with the process, and several copies do not know those of each other.',
  },
  DOCS_EDIT_URL: {
    read: urlWithProtocol(['http:', 'https:'], 'an http or https URL').transform((url) => url.replace(/\/*$/, '/')),
    default: null,
    unit: null,
    meaning:
      'Address before the path of a file, such as https://git.example/atrium/edit/main/, for "Edit this page" below /docs; unset, pages name their file.',
  },
  SECURITY_CONTACT: {
    read: z
      .string()
      .transform((text) => text.split(',').map((contact) => contact.trim()))
      .refine(
        (contacts) =>
          contacts.every((contact) => /^(?:https:\/\/[\w.-]+|mailto:[^\s@]+@[\w.-]+$|tel:\+?[\d-]+$)\S*$/.test(contact)),
        'https, mailto or tel addresses, separated by commas',
      ),
    default: null,
    unit: null,
    meaning:
      'Whom /.well-known/security.txt names for reports of vulnerabilities, the preferred one first; unset, the policy at /security-policy.',
  },
  CONSOLE_SECRET_PREVIOUS: {
    read: z.string().min(32, 'at least 32 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning: 'The CONSOLE_SECRET before a rotation, whose sessions stay valid until they expire; unset, there is none.',
  },
  ...secretsVariables,
  ...telemetryVariables,
  RESPONSE_CACHE_BYTES: gatewaySettings.RESPONSE_CACHE_BYTES,
  USAGE_DAYS: {
    read: wholeNumber(0, 3_650),
    default: '90',
    unit: 'days',
    meaning:
      'How long the database keeps which client used which operation and field, for npx atrium schema; 0 counts nothing and deletes what was counted.',
  },
  SHUTDOWN_GRACE_SECONDS: gatewaySettings.SHUTDOWN_GRACE_SECONDS,
  SHUTDOWN_DRAIN_SECONDS: gatewaySettings.SHUTDOWN_DRAIN_SECONDS,
  ...splitVariables,
  ...socialVariables,
  ...storeQuotaVariables,
  ...directoryVariables,
  ...checkoutVariables,
  ...auditVariables,
  ...mailVariables,
  ...fileVariables,
  ...webhookVariables,
  ...collectorVariables,
  ...trustVariables,
} as const
