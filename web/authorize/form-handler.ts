import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  AnswerAuthorizationDocument,
  LeaveAuthorizationDocument,
  SignInOwnerDocument,
  SignInOwnerToAuthorizeDocument,
  SignInToAuthorizeDocument,
  SignOutOwnerDocument,
} from '#generated/operations.ts'
import type { ClientResult, GatewayClient } from '../../gateway/client.ts'
import { callerOf, disconnectSignal } from '../../platform/http/request-caller.ts'
import { cookieOf, fieldOf } from '../frame/form.ts'
import { dataOf } from '../frame/page.ts'
import type { Seal } from '../frame/seal.ts'
import type { choicePage, SignInProblem } from './page.ts'

/** The protocol sets it for the address of a request: what only the browser has that began. */
const BROWSER_COOKIE = '_atrium_browser'

/** The operations of the buttons. */
export const FORM_DOCUMENTS = [
  SignInToAuthorizeDocument,
  SignInOwnerDocument,
  SignInOwnerToAuthorizeDocument,
  SignOutOwnerDocument,
  AnswerAuthorizationDocument,
  LeaveAuthorizationDocument,
]

/**
 * The purpose of a seal, and how long an owner may think about which shop: the token that is sealed
 * is good for as long with the store.
 */
const OWNER = 'authorize owner'
const CHOICE_SECONDS = 600

export type StepResult = {
  readonly step:
    | { readonly __typename: 'AuthorizationStep'; readonly continueAt: string }
    | { readonly __typename: 'ForeignApp' | 'NoStoreOwned'; readonly message?: string }
    | { readonly __typename: 'NotFoundError' }
}
/** Result of a button: a step of the graph, or a problem to show. */
export type FormResult = ClientResult<StepResult> | { readonly problem: SignInProblem } | { readonly choice: StoreChoice }
export type StoreChoice = { readonly stores: Parameters<typeof choicePage>[1]; readonly sealed: string }
export type OfRequest = FastifyRequest<{ Params: { readonly request: string } }>

/** Creates the handlers of the buttons of a form. */
export function createFormHandler(
  client: GatewayClient,
  seal: Seal,
): (request: OfRequest, reply: FastifyReply) => Promise<FormResult> {
  return submitForm

  async function submitForm(request: OfRequest, reply: FastifyReply): Promise<FormResult> {
    const { request: id } = request.params
    const key = { request: id, browser: browserOf(request) }
    const [caller, signal] = [callerOf(request, []), disconnectSignal(reply)]
    switch (fieldOf(request, 'do')) {
      case 'allow':
        return client.run(AnswerAuthorizationDocument, { ...key, isGranted: true }, caller, signal)
      case 'refuse':
        return client.run(AnswerAuthorizationDocument, { ...key, isGranted: false }, caller, signal)
      case 'leave':
        return client.run(LeaveAuthorizationDocument, key, caller, signal)
      case 'sign-in-owner':
        return signInOwner(request, reply)
      case 'choose': {
        const token = seal.open(`${OWNER} ${id}`, fieldOf(request, 'owner'), Date.now())
        if (typeof token !== 'string') return { problem: EXPIRED_SIGN_IN }
        return continueWithToken(request, reply, token, fieldOf(request, 'store'))
      }
      default: {
        const pair = `${fieldOf(request, 'login').trim()}:${fieldOf(request, 'authtoken').trim()}`
        const authorization = `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`
        return client.run(SignInToAuthorizeDocument, key, { ...caller, credentials: { authorization } }, signal)
      }
    }
  }

  /**
   * Signs in at the social graph, and passes the token to the store, which verifies it by itself.
   */
  async function signInOwner(request: OfRequest, reply: FastifyReply): Promise<FormResult> {
    const variables = { email: fieldOf(request, 'email').trim(), password: fieldOf(request, 'password') }
    const answer = await client.run(SignInOwnerDocument, variables, callerOf(request, []), disconnectSignal(reply))
    const { login } = dataOf(answer)
    if (login.__typename === 'LoginSuccess') return continueWithToken(request, reply, login.token)
    return { problem: { form: 'account', message: login.__typename === 'AccountLocked' ? login.message : NO_ACCOUNT } }
  }

  /**
   * Continues with one of an owner's stores. The session ends with it: the owner did not sign in to
   * the site.
   */
  async function continueWithToken(request: OfRequest, reply: FastifyReply, token: string, store?: string): Promise<FormResult> {
    const { request: id } = request.params
    const key = { request: id, browser: browserOf(request) }
    const [caller, signal] = [
      { ...callerOf(request, []), credentials: { authorization: `Bearer ${token}` } },
      disconnectSignal(reply),
    ]
    const answer = await client.run(SignInOwnerToAuthorizeDocument, { ...key, ...(store && { store }) }, caller, signal)
    const step = answer.data?.step
    if (step?.__typename === 'StoreChoice') {
      const until = Date.now() + CHOICE_SECONDS * 1000
      return { choice: { stores: step.stores, sealed: seal.close(`${OWNER} ${id}`, token, until) } }
    }
    await client.run(SignOutOwnerDocument, {}, caller, signal)
    if (answer.errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')) return { problem: EXPIRED_SIGN_IN }
    return { data: step ? { step } : null, errors: answer.errors }
  }
}

const NO_ACCOUNT = 'The e-mail address or the password is wrong.'
const EXPIRED_SIGN_IN: SignInProblem = { form: 'account', message: 'The sign-in has expired. Sign in again.' }

/** Empty without a cookie: no browser has that. */
export const browserOf = (request: OfRequest): string => cookieOf(request, BROWSER_COOKIE) ?? ''
