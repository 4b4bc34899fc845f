import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { consolePage } from './page.ts'

export const access = consolePage({
  path: '/console/access',
  label: 'Access',
  needs: ['store_owner'],
  operations: [],
  body: async ({ visit, site }) => html`<h1>Access</h1>
<section aria-labelledby="reset"><h2 id="reset">Reset the authtoken</h2>
<p>Programs authenticate with the login and the authtoken of the store. The authtoken is stored as a hash and cannot be shown again; reset it here when it is lost or leaked.</p>
${changeForm(
  '/console/access',
  visit,
  site,
  html`<p class="choice"><input type="checkbox" id="understood" name="understood" value="yes" required> <label for="understood">I understand that programs with the current authtoken stop working at once</label></p>
<p><button>Reset the authtoken</button></p>`,
)}</section>
<section aria-labelledby="lent"><h2 id="lent">Tokens of apps</h2>
<p>Apps have their own tokens, which a reset does not revoke: <a href="${site.at('/console/apps')}">list apps and revoke access</a>.</p></section>`,
})

/** The authtoken of a store, this once. */
export const newAuthtoken = (login: string, authtoken: string, isSignedIn: boolean): Html => html`<h1>New authtoken</h1>
<p class="lead">The old authtoken is invalid. ${isSignedIn ? 'You stay signed in here.' : 'Sign in again with the new one.'}</p>
<dl class="facts-list"><dt>Login</dt><dd><code>${login}</code></dd><dt>Authtoken</dt><dd><code>${authtoken}</code></dd></dl>
<p><strong>Store it now:</strong> it is shown only once.</p>`
