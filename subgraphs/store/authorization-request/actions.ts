import type { Caller } from '../../../platform/http/caller.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import type { App } from '../app/app.ts'
import type { AppRepository } from '../app/repository.ts'
import type { AuditActor } from '../audit-entry/audit-actor.ts'
import { decodeId } from '../ids.ts'
import { isOfBrowser } from '../oauth/browser.ts'
import { withConsentChange } from '../oauth/consent-change.ts'
import type { Protocol } from '../oauth/protocol.ts'
import type { Store } from '../store/store.ts'
import { type AuthorizationRequest, scopesOf } from './authorization-request.ts'

/**
 * Which request, and what only the browser has that began it: its id stands in addresses, and opens
 * nothing by itself.
 */
export type AuthorizationRequestKey = { readonly id: string; readonly browser: string | null | undefined }

/** Dependencies of a step: the protocol, which stores the request, and the apps. */
export type Desk = { readonly protocol: () => Promise<Protocol>; readonly apps: AppRepository }

type Interaction = InstanceType<Protocol['Interaction']>

/** The request of this key; null when it has ended, or was begun in another browser. */
export async function requestWith(key: AuthorizationRequestKey, desk: Desk): Promise<AuthorizationRequest | null> {
  const found = await find(key, desk)
  if (!found) return null
  const { interaction, app } = found
  return {
    appName: app.name,
    storeId: storeIn(interaction, app),
    scopes: scopesOf(interaction.params.scope),
    redirectUri: String(interaction.params.redirect_uri),
  }
}

/** Signs a store in at the browser of a request; the browser remembers as whom for the audit log. */
export async function signIn(
  key: AuthorizationRequestKey,
  { storeId, actor }: { readonly storeId: number; readonly actor: AuditActor },
  desk: Desk,
) {
  const found = await find(key, desk)
  if (!found) return ended(key)
  const { interaction, app } = found
  if (app.storeId !== null && app.storeId !== storeId) return foreignApp
  await forgetSession(interaction, await desk.protocol())
  return go(interaction, { login: { accountId: String(storeId), remember: false, amr: [JSON.stringify(actor)] } })
}

/** Signs in one of a user's stores: the one that is named, or the only one that can use the app. */
export async function signInOwner(
  key: AuthorizationRequestKey,
  { userId, owned, wanted }: { readonly userId: string; readonly owned: readonly Store[]; readonly wanted: string | null },
  desk: Desk,
) {
  const found = await find(key, desk)
  if (!found) return ended(key)
  const { storeId } = found.app
  const stores = wanted === null ? owned : owned.filter((store) => store.id === decodeId(wanted, 'Store'))
  if (stores.length === 0) return noStoreOwned
  const usable = stores.filter((store) => storeId === null || storeId === store.id)
  const [only, ...others] = usable
  if (!only) return foreignApp
  if (others.length > 0) return { __typename: 'StoreChoice' as const, stores: usable }
  return signIn(key, { storeId: only.id, actor: { actor: 'USER', userId, role: 'OWNER' } }, desk)
}

/** Grants all requested scopes for the signed-in store; or refuses. */
export async function answer(
  key: AuthorizationRequestKey,
  isGranted: boolean,
  desk: Desk & { readonly caller: Pick<Caller, 'requestId'> },
) {
  const found = await find(key, desk)
  if (!found) return ended(key)
  const { interaction, app } = found
  if (!isGranted) return go(interaction, { error: 'access_denied', error_description: 'The owner of the store refused.' })
  const storeId = storeIn(interaction, app)
  if (storeId === null) return ended(key)

  const { Grant } = await desk.protocol()
  const grant = new Grant({ accountId: String(storeId), clientId: app.code })
  grant.addOIDCScope(scopesOf(interaction.params.scope).join(' '))
  const change = {
    operation: 'answerAuthorizationRequest',
    requestId: desk.caller.requestId,
    actor: signedInAs(interaction),
  }
  const grantId = await withConsentChange(change, () => grant.save())
  return go(interaction, { ...interaction.lastSubmission, consent: { grantId } })
}

/** Signs the store out, and returns to the same request. */
export async function leave(key: AuthorizationRequestKey, desk: Desk) {
  const found = await find(key, desk)
  if (!found) return ended(key)
  const { interaction } = found
  await forgetSession(interaction, await desk.protocol())
  await interaction.destroy()
  const requested = Object.entries(interaction.params).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const { pathname } = new URL(interaction.returnTo)
  return step(`${pathname.slice(0, pathname.lastIndexOf('/'))}?${new URLSearchParams(requested)}`)
}

async function find(
  { id, browser }: AuthorizationRequestKey,
  { protocol, apps }: Desk,
): Promise<{ readonly interaction: Interaction; readonly app: App } | null> {
  const { Interaction } = await protocol()
  const interaction = await Interaction.find(id)
  if (!interaction || !isOfBrowser(interaction, browser)) return null
  const app = await apps.byCode(String(interaction.params.client_id))
  return app ? { interaction, app } : null
}

/** The signed-in store; null when there is none, or it cannot use the app. */
function storeIn({ session }: Interaction, app: App): number | null {
  const storeId = Number(session?.accountId ?? 0)
  return storeId > 0 && (app.storeId === null || app.storeId === storeId) ? storeId : null
}

/** As whom the store signed in; its authtoken where a browser of before does not say. */
function signedInAs({ session }: Interaction): AuditActor {
  const [actor] = session?.amr ?? []
  // Sealed by us: what `signIn` wrote.
  return actor === undefined ? { actor: 'AUTHTOKEN' } : (JSON.parse(actor) as AuditActor)
}

/** Ends what the browser remembers of a store, so that another one can take its place. */
async function forgetSession(interaction: Interaction, { Session }: Protocol): Promise<void> {
  const { session } = interaction
  if (!session) return
  await (await Session.find(session.cookie))?.destroy()
  Object.assign(interaction, { session: undefined })
}

async function go(interaction: Interaction, result: Interaction['result']) {
  interaction.result = result
  await interaction.persist()
  const { pathname, search } = new URL(interaction.returnTo)
  return step(`${pathname}${search}`)
}

const step = (continueAt: string) => ({ __typename: 'AuthorizationStep' as const, continueAt })

const ended = ({ id }: AuthorizationRequestKey) => notFoundError('request for an authorization that is still open', id)

const noStoreOwned = {
  __typename: 'NoStoreOwned' as const,
  message:
    'This account owns no shop here. Sign in with the login and authtoken of the shop, or ask the operator of this installation to make you its owner.',
}

const foreignApp = {
  __typename: 'ForeignApp' as const,
  message: 'This app belongs to another store, which is the only one that can use it.',
}
