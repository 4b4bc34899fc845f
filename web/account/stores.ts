import { AccountClaimStoreDocument, AccountStoresDocument, type AccountStoresQuery } from '#generated/operations.ts'
import { refusedBecause, toChanged } from '../frame/change.ts'
import { dayOf } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn, type RunPageOperation } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { userForm, userPage } from './page.ts'

const PATH = '/account/stores'

type Store = NonNullable<NonNullable<AccountStoresQuery['me']>['stores']>[number]

export const stores = userPage({
  path: PATH,
  label: 'Stores and apps',
  operations: [AccountStoresDocument],
  notices: { claimed: 'The store is yours.' },
  async body({ run, site, session, typed }) {
    const found = await storesOf(run)
    return {
      title: 'Stores and apps',
      body: html`<h1>Stores and apps</h1>
<p class="lead">Stores that you own. Orders, products, webhooks and apps of each are in its console.</p>
${found.length === 0 ? html`<div class="empty" role="status"><p><strong>No stores yet.</strong></p><p>Add one below with its login and authtoken, or <a href="${site.at('/docs/start/shops')}">open a store</a>.</p></div>` : html`<ul class="cards">${found.map((store) => card(store, site))}</ul>`}
<section aria-labelledby="claim"><h2 id="claim">Add a store</h2>
<p>A store without an owner becomes yours with the credentials that were shown when it was made.</p>
<div class="sign-in">${changeForm(
        `${PATH}/claim`,
        session,
        site,
        html`<p><label for="login">Login of the store</label><input type="text" id="login" name="login" value="${typed('login')}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="255" required></p>
<p><label for="authtoken">Authtoken</label><input type="password" id="authtoken" name="authtoken" autocomplete="off" maxlength="255" required></p>
<p><button>Add the store</button></p>`,
      )}</div></section>`,
    }
  },
})

/** Stores of the user. Throws when the session has ended. */
async function storesOf(run: RunPageOperation): Promise<readonly Store[]> {
  const answer = await run(AccountStoresDocument, {})
  return foundIn(dataOf(answer).me, answer)?.stores ?? []
}

const card = ({ name, code, url, currency, createdAt }: Store, site: Site): Html => html`<li class="card">
<h2><a href="${pathIn(url)}">${name}</a></h2>
<p class="facts"><code>${code}</code> <span>${currency}</span> <span>since <time datetime="${createdAt}">${dayOf(createdAt)}</time></span></p>
<p><a href="${site.at('/console')}">Console</a> · <a href="${site.at('/console/apps')}">Apps with access</a> · <a href="${pathIn(url)}">Shop page</a></p></li>`

export const storeForms = [
  userForm({
    path: `${PATH}/claim`,
    on: stores,
    operations: [AccountClaimStoreDocument, AccountStoresDocument],
    async submit({ field, run, runWith }) {
      const credentials = { login: field('login').trim(), authtoken: field('authtoken').trim() }
      const answer = await runWith(credentials)(AccountClaimStoreDocument, {})
      const isWrong = answer.errors.some(({ extensions }) =>
        ['UNAUTHENTICATED', 'UNAUTHORIZED_FIELD_OR_TYPE', 'FORBIDDEN'].includes(String(extensions?.code)),
      )
      if (isWrong) {
        // The graph says the same of both credentials: is it the session of the user?
        await storesOf(run)
        return refusedBecause('The login or the authtoken is wrong.')
      }
      return toChanged(dataOf(answer).result, { at: PATH, notice: 'claimed' })
    },
  }),
]
