import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import { expiredForm } from '../frame/refusals.ts'
import type { Site } from '../frame/site.ts'

type SignInState = {
  /** Path of ours to go on with; empty: the account. */
  readonly next?: string
  readonly email?: string
  readonly name?: string
  readonly problem?: string | null
}

const alertOf = (problem: string | null): Html | false =>
  problem !== null && html`<p role="alert" class="alert tone-bad">${problem}</p>`

const nextField = (next: string): Html | false => next !== '' && html`<input type="hidden" name="next" value="${next}">`

const withNext = (path: string, next: string): string => (next === '' ? path : `${path}?${new URLSearchParams({ next })}`)

/** The form that signs a user in, with what was wrong the last time. */
export const signInPage = (visit: Visit, site: Site, { next = '', email = '', problem = null }: SignInState): WebPage => ({
  title: problem === null ? 'Sign in' : 'Sign-in failed',
  description: 'Sign in to write posts, talk in rooms, and use keys of your own.',
  body: html`<h1>Sign in</h1>
<p class="lead">With an account you write posts and comments, talk in rooms, make keys for trust decisions, and find your stores.</p>
${alertOf(problem)}
<div class="sign-in">${changeForm(
    '/account/sign-in',
    visit,
    site,
    html`${nextField(next)}<p><label for="email">E-mail address</label><input type="email" id="email" name="email" value="${email}" autocomplete="username" maxlength="254" required></p>
<p><label for="password">Password</label><input type="password" id="password" name="password" autocomplete="current-password" maxlength="256" required></p>
<p><button>Sign in</button></p>`,
  )}</div>
<p>No account yet? <a href="${site.at(withNext('/account/sign-up', next))}">Sign up</a>. Programs of a store sign in at the <a href="${site.at('/console')}">console</a>.</p>
<p class="quiet">The browser stores an encrypted session cookie until you sign out, for 30 days after your last visit at most.</p>`,
})

/** The form that makes an account. */
export const signUpPage = (
  visit: Visit,
  site: Site,
  { next = '', name = '', email = '', problem = null }: SignInState,
): WebPage => ({
  title: problem === null ? 'Sign up' : 'Sign-up failed',
  description: 'Make an account for a person or an agent: free, with a name, an address and a password.',
  body: html`<h1>Sign up</h1>
<p class="lead">An account is for a person or an agent. Its name is public; the address is not.</p>
${alertOf(problem)}
<div class="sign-in">${changeForm(
    '/account/sign-up',
    visit,
    site,
    html`${nextField(next)}<p><label for="name">Name</label><input type="text" id="name" name="name" value="${name}" autocomplete="name" maxlength="100" required></p>
<p><label for="email">E-mail address</label><input type="email" id="email" name="email" value="${email}" autocomplete="username" maxlength="254" required></p>
<p><label for="password">Password, 8 characters or more</label><input type="password" id="password" name="password" autocomplete="new-password" minlength="8" maxlength="256" required></p>
<p><button>Sign up</button></p>`,
  )}</div>
<p>You have an account? <a href="${site.at(withNext('/account/sign-in', next))}">Sign in</a>.</p>`,
})

/** A form that does not belong to a page of this session. */
export const foreignAccountForm = (site: Site): WebPage => expiredForm(site, { path: '/account', label: 'Open your account' })
