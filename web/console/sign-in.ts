import { html } from '../frame/html.ts'
import type { Page } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { changeForm } from './page.ts'
import type { Visit } from './session.ts'

/** The form that opens the console, with what was wrong the last time; null: nothing. */
export const signInPage = (visit: Visit, site: Site, login = '', problem: string | null = null): Page => ({
  title: 'Store console',
  description: 'Where the owner of a store looks after it: sign in with its login and authtoken.',
  body: html`<h1>Store console</h1>
<p class="lead">Sign in with the login and the authtoken of a store: those that its programs use, too.</p>
<div class="sign-in">${changeForm(
    '/console/sign-in',
    visit,
    site,
    html`<p><label for="login">Login</label><input type="text" id="login" name="login" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required></p>
<p><label for="authtoken">Authtoken</label><input type="password" id="authtoken" name="authtoken" autocomplete="current-password" maxlength="255" required></p>
<p><button>Sign in</button></p>`,
  )}
${problem !== null && html`<p role="alert">${problem}</p>`}</div>
<p class="quiet">The browser keeps an encrypted cookie that opens this store until you sign out, for eight hours at most.</p>`,
})

/** A form that does not belong to a page of this visit. */
export const strangeForm = (site: Site): Page => ({
  status: 403,
  title: 'This form cannot be used any more',
  description: 'A form was sent that does not belong to this visit.',
  body: html`<h1>This form cannot be used any more</h1><p>It is older than the session, or comes from somewhere else. Nothing was changed.</p>
<p><a href="${site.at('/console')}">Open the console</a></p>`,
})

/** A form that is none of ours: too long, or in another format. */
export const unreadableForm = (status: number, site: Site): Page => ({
  status,
  title: 'This form cannot be read',
  description: 'What was sent is no form of this console.',
  body: html`<h1>This form cannot be read</h1><p>Nothing was changed.</p><p><a href="${site.at('/console')}">Open the console</a></p>`,
})
