import { type Html, html } from '../frame/html.ts'
import { changeForm, consolePage } from './page.ts'

export const access = consolePage({
  path: '/console/access',
  label: 'Access',
  asks: [],
  body: async ({ visit, site }) => html`<h1>Access</h1>
<section aria-labelledby="reset"><h2 id="reset">Another authtoken</h2>
<p>Programs sign in with the login and the authtoken of the store. Nobody can read the authtoken again, us included; who has lost it, or has shown it to somebody, gets another one here.</p>
${changeForm(
  '/console/access',
  visit,
  site,
  html`<p class="choice"><input type="checkbox" id="understood" name="understood" value="yes" required> <label for="understood">I know that programs which use the present authtoken stop working at once</label></p>
<p><button>Reset the authtoken</button></p>`,
)}</section>
<section aria-labelledby="lent"><h2 id="lent">Tokens of apps</h2>
<p>Apps have tokens of their own, which the authtoken does not end: <a href="${site.at('/console/apps')}">see which ones, and take access back</a>.</p></section>`,
})

/** The authtoken of a store, this once. */
export const newAuthtoken = (login: string, authtoken: string): Html => html`<h1>Another authtoken</h1>
<p class="lead">The one before does not open anything any more. You stay signed in here.</p>
<dl class="facts-list"><dt>Login</dt><dd><code>${login}</code></dd><dt>Authtoken</dt><dd><code>${authtoken}</code></dd></dl>
<p><strong>Keep it now:</strong> it is shown this once.</p>`
