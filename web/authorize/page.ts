import type { AuthorizePageQuery } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { codeBlock } from '../frame/code.ts'
import { type Html, html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { permissionLists } from './permissions.ts'

/** Request of an app. */
export type PendingAuthorization = NonNullable<AuthorizePageQuery['authorizationRequest']>

type FormTarget = { readonly action: string; readonly site: Site }

const DESCRIPTION = 'An app requests access to a shop.'

/** Problem of the last try, as a whole sentence, and its form. */
export type SignInProblem = { readonly form: 'account' | 'shop'; readonly message: string }

/** Sign-in page of a shop owner. */
export const signInPage = (
  { appName, returnsTo }: PendingAuthorization,
  {
    action,
    problem,
    email,
    login,
  }: FormTarget & { readonly problem: SignInProblem | null; readonly email: string; readonly login: string },
): WebPage => ({
  status: problem === null ? 200 : 422,
  title: problem === null ? 'Sign in to your shop' : 'Sign-in failed: sign in to your shop',
  description: DESCRIPTION,
  body: html`<div class="narrow">
<h1>Sign in to your shop</h1>
<p class="lead"><strong>${appName}</strong> requests access to a shop. Sign in to your shop; the next page shows the requested permissions.</p>
<div class="halves">
<section aria-labelledby="account"><h2 id="account">With your account</h2>
${alertOf('account', problem)}
<form method="post" action="${action}" class="stacked">
<div><label for="email">E-mail address</label>
<input type="email" id="email" name="email" value="${email}" required maxlength="254" autocomplete="username"${invalidAttributes('account', problem)}></div>
<div><label for="password">Password</label>
<input type="password" id="password" name="password" required maxlength="256" autocomplete="current-password"${invalidAttributes('account', problem)}></div>
<p class="actions"><button name="do" value="sign-in-owner">Sign in as owner</button></p>
</form></section>
<section aria-labelledby="shop"><h2 id="shop">Or with login and authtoken</h2>
${alertOf('shop', problem)}
<form method="post" action="${action}" class="stacked">
<div><label for="login">Login</label>
<input type="text" id="login" name="login" value="${login}" required maxlength="200" autocomplete="username" autocapitalize="none" spellcheck="false"${invalidAttributes('shop', problem)}></div>
<div><label for="authtoken">Authtoken</label>
<input type="password" id="authtoken" name="authtoken" required maxlength="200" autocomplete="current-password"${invalidAttributes('shop', problem)}></div>
<p class="actions"><button name="do" value="sign-in">Sign in</button></p>
</form></section>
</div>
<p class="quiet">Your account on this site owns the shop; login and authtoken were shown when the shop was created. The app receives none of these credentials.</p>
<form method="post" action="${action}"><p class="actions"><button name="do" value="refuse" class="secondary">Cancel</button></p></form>
${destination(returnsTo)}
</div>`,
})

/** Page to choose one of several shops. `sealed` is the signed-in user. */
export const choicePage = (
  { appName, returnsTo }: PendingAuthorization,
  stores: readonly { readonly id: string; readonly name: string; readonly code: string }[],
  { action, sealed }: FormTarget & { readonly sealed: string },
): WebPage => ({
  title: 'Which shop?',
  description: DESCRIPTION,
  body: html`<div class="narrow">
<h1>Which shop?</h1>
<p class="lead">You own several shops. <strong>${appName}</strong> gets access to one of them only; the next page shows the requested permissions.</p>
<form method="post" action="${action}" class="stacked"><input type="hidden" name="owner" value="${sealed}"><input type="hidden" name="do" value="choose">
<div class="choices">${stores.map(({ id, name, code }) => html`<button name="store" value="${id}" class="secondary">${name} <span class="quiet">${code}</span></button>`)}</div>
</form>
<form method="post" action="${action}"><p class="actions"><button name="do" value="refuse" class="secondary">Cancel</button></p></form>
${destination(returnsTo)}
</div>`,
})

const alertOf = (form: SignInProblem['form'], problem: SignInProblem | null): Html | false =>
  problem?.form === form && html`<p role="alert" id="problem" class="alert tone-bad">${problem.message}</p>`

const invalidAttributes = (form: SignInProblem['form'], problem: SignInProblem | null): Html | false =>
  problem?.form === form && html` aria-invalid="true" aria-describedby="problem"`

/** Where a shop owner agrees or refuses. */
export const consentPage = (
  { appName, storeName, permissions, returnsTo }: PendingAuthorization,
  { action }: FormTarget,
): WebPage => ({
  title: `Allow ${appName} to access ${storeName}?`,
  description: DESCRIPTION,
  body: html`<div class="narrow">
<h1>Allow ${appName} to access your shop?</h1>
<dl class="facts-list"><dt>App</dt><dd><strong>${appName}</strong></dd><dt>Shop</dt><dd><strong>${storeName}</strong></dd></dl>
<h2>Requested permissions</h2>
${permissionLists(permissions, 'app')}
<p class="quiet">The app chose its own name, which is not verified. Continue only if you trust the page that sent you here.</p>
<form method="post" action="${action}" class="stacked">
<p class="actions"><button name="do" value="allow">Allow</button> <button name="do" value="refuse" class="secondary">Deny</button></p>
<p><button name="do" value="leave" class="plain">This is not my shop: use a different one</button></p>
</form>
${destination(returnsTo)}
<p class="quiet">You can revoke access at any time; the app loses it within a second.</p>
</div>`,
})

/** The end of a request whose answer is typed into the app by hand. */
export const codePage = (code: string): WebPage => ({
  title: 'Your code',
  description: DESCRIPTION,
  scripts: ['copy.js'],
  body: html`<div class="narrow"><h1>Your code</h1>
<p>Enter this code in the app that requested it, and share it with no one else. It works once, within ten minutes.</p>
${codeBlock({ id: 'code', text: code, label: 'Code' })}</div>`,
})

/** The same without a code. */
export const refusedPage: WebPage = {
  title: 'Access denied',
  description: DESCRIPTION,
  body: html`<div class="narrow"><h1>Access denied</h1><p>The app has no access. You can close this page.</p></div>`,
}

/** The request is not there any more, or belongs to another browser. */
export const endedPage: WebPage = {
  status: 410,
  title: 'This request has ended',
  description: DESCRIPTION,
  body: html`<div class="narrow"><h1>This request has ended</h1>
<p>It was answered, is older than half an hour, or was started in another browser. Nothing was changed. Return to the app and start again.</p></div>`,
}

/** Page for an invalid link. Shows nothing of it: anyone can write links. */
export const problemPage = (error: string): WebPage => ({
  status: 400,
  title: 'Invalid authorization request',
  description: DESCRIPTION,
  body: html`<div class="narrow"><h1>Invalid authorization request</h1>
<p>${PROBLEMS[error] ?? 'The link to this page is not a valid authorization request.'} You were not redirected, and no access was granted.</p>
<p class="quiet">For the developer of the app: <code>${PROBLEMS[error] ? error : 'invalid_request'}</code>. The same request with <code>Accept: application/json</code> returns the error as JSON.</p></div>`,
})

/** By the codes of the protocol. */
const PROBLEMS: LookupTable<string> = lookupTable({
  invalid_client: 'The link to this page has an unknown client_id.',
  invalid_redirect_uri: 'The link to this page has a redirect URI that is not registered for the app.',
  invalid_request: 'The link to this page lacks a parameter, repeats one, or has expired.',
  server_error: 'Internal server error.',
})

const destination = (returnsTo: string | null | undefined): Html =>
  returnsTo == null
    ? html`<p class="quiet">The next page shows a code.</p>`
    : html`<p class="quiet">You will be redirected to <code>${returnsTo}</code>.</p>`
