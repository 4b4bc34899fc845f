import type { Visit } from '../frame/form-token.ts'
import { changeForm } from '../frame/form-token.ts'
import { html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import { expiredForm } from '../frame/refusals.ts'
import type { Site } from '../frame/site.ts'

/** The form that opens the console, with what was wrong the last time; null: nothing. */
export const signInPage = (visit: Visit, site: Site, login = '', problem: string | null = null): WebPage => ({
  title: 'Store console',
  description: 'Console of a store: sign in with its login and authtoken, or with your account.',
  body: html`<h1>Store console</h1>
<p class="lead">Sign in with the login and the authtoken of a store, the same that its programs use.</p>
<div class="sign-in">${changeForm(
    '/console/sign-in',
    visit,
    site,
    html`<p><label for="login">Login</label><input type="text" id="login" name="login" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required></p>
<p><label for="authtoken">Authtoken</label><input type="password" id="authtoken" name="authtoken" autocomplete="current-password" maxlength="255" required></p>
<p><button>Sign in</button></p>`,
  )}
${problem !== null && html`<p role="alert">${problem}</p>`}</div>
<section aria-labelledby="people"><h2 id="people">People who work in a store</h2>
<p>Owners and staff sign in with their account. <a href="${site.at('/console/stores')}">Open a store with my account</a></p></section>
<p class="quiet">The browser stores an encrypted session cookie until you sign out, for eight hours at most.</p>`,
})

/** A form that does not belong to a page of this visit. */
export const foreignForm = (site: Site): WebPage => expiredForm(site, { path: '/console', label: 'Open the console' })

/** A page or a change that the role of the user does not have the right to. */
export const notForRole = (site: Site, reasons: readonly string[] = []): WebPage => ({
  status: 403,
  title: 'Not for your role',
  description: 'The role of the user may not do this.',
  body: html`<h1>Not for your role</h1><p>Your role in this store may not do this. Nothing was changed.</p>
${reasons.map((reason) => html`<p class="quiet">${reason}</p>`)}
<p><a href="${site.at('/console')}">Open the console</a></p>`,
})

/** A form that is none of ours: too long, or in another format. */
export const unreadableForm = (status: number, site: Site): WebPage => ({
  status,
  title: 'Invalid form',
  description: 'The request is not a form of this console.',
  body: html`<h1>Invalid form</h1><p>Nothing was changed.</p><p><a href="${site.at('/console')}">Open the console</a></p>`,
})
