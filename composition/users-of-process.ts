import { type DocumentNode, print } from 'graphql'
import type { JSONWebKeySet } from 'jose'
import type { Logger } from 'pino'
import { GetJsonWebKeysDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../gateway/client.ts'
import { createSigner } from '../gateway/signed-link/signature.ts'
import { linkSecretsOf } from '../gateway/signed-link/variables.ts'
import type { Link } from '../gateway/subgraph-client/link.ts'
import { createRemoteLink } from '../gateway/subgraph-client/remote-subgraph.ts'
import type { Caller } from '../platform/http/caller.ts'
import type { Defer } from '../platform/process/lifecycle.ts'
import { roleLookup, sessionCheck } from '../rest-facade/social/session/check.ts'
import { remoteRoleLookup } from '../subgraphs/toolkit/user-role.ts'
import { keysFrom, publishedKeys, remoteSessionCheck } from '../subgraphs/toolkit/user-token.ts'
import type { AtriumConfig, SubgraphDeps } from './subgraph-factories.ts'

/** Runs documents of our own. */
type Client = Pick<GatewayClient, 'prepare' | 'run'>
/** How a subgraph learns who a user is. */
type Users = Required<Pick<SubgraphDeps, 'userKeys' | 'isSessionOpen' | 'roleOf'>>

/** Time limit of fetching the keys: requests wait for them. Milliseconds. */
const KEYS_TIMEOUT_MS = 5_000

/**
 * Keys, sessions and roles of users for a process of one subgraph that is no client of the graph:
 * read from the social subgraph over a signed link, or over `publicUrl` where its address is unset.
 */
export async function usersOfProcess(
  config: AtriumConfig,
  { publicUrl, log, defer }: { readonly publicUrl: string; readonly log: Logger; readonly defer: Defer },
): Promise<Users> {
  const { SUBGRAPH_SOCIAL_URL: url, SUBGRAPH_TIMEOUT_MILLISECONDS: timeoutMilliseconds } = config
  if (url === undefined) {
    return {
      userKeys: publishedKeys(publicUrl),
      isSessionOpen: remoteSessionCheck(publicUrl),
      roleOf: remoteRoleLookup(publicUrl),
    }
  }
  const sign = createSigner(linkSecretsOf(config), Date.now)
  const link = createRemoteLink({ name: 'social', url: new URL('/graphql', url).href, timeoutMilliseconds, log, sign })
  defer(link.close)
  const client = clientOf(link)
  return {
    userKeys: keysFrom(() => keysOf(client)),
    isSessionOpen: await sessionCheck(client),
    roleOf: await roleLookup(client),
  }
}

/** The keys that verify tokens of users. Rejects when they cannot be read. */
export async function keysOf(client: Client | null): Promise<JSONWebKeySet> {
  const caller = { requestId: 'keys', address: '127.0.0.1', credentials: {} }
  const answer = await client?.run(GetJsonWebKeysDocument, {}, caller, AbortSignal.timeout(KEYS_TIMEOUT_MS))
  if (!answer?.data) throw new Error('Expected the social subgraph to tell the keys of users.')
  return { keys: [...answer.data.keys] }
}

/** A client of one subgraph, without planning: its documents select fields of that subgraph only. */
const clientOf = (link: Link): Client => ({
  prepare: async () => {},
  async run<Data>(document: DocumentNode, variables: Readonly<Record<string, unknown>>, caller: Caller, signal: AbortSignal) {
    const request = { query: print(document), variables, operationName: undefined }
    const { data, errors = [] } = await link.execute(request, { caller, signal })
    // Codegen derived `Data` from the schema of the whole graph.
    return { data: (data ?? null) as Data | null, errors: errors.map(({ message, extensions }) => ({ message, extensions })) }
  },
})
