import {
  AccountCreateKeyDocument,
  AccountKeysDocument,
  type AccountKeysQuery,
  AccountRevokeKeyDocument,
} from '#generated/operations.ts'
import { refusedBecause } from '../frame/change.ts'
import { codeBlock } from '../frame/code.ts'
import { dayOf, whole } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { userForm, userPage } from './page.ts'

const PATH = '/account/keys'

type Key = AccountKeysQuery['trustKeys'][number]

export const keys = userPage({
  path: PATH,
  label: 'API keys',
  operations: [AccountKeysDocument],
  notices: { revoked: 'The key was revoked: requests with it are refused from now on.' },
  async body({ run, site, session, typed }) {
    const { trustKeys } = dataOf(await run(AccountKeysDocument, {}))
    return {
      title: 'API keys',
      body: html`<h1>API keys</h1>
<p class="lead">A key lets programs ask for <a href="${site.at('/trust')}">trust decisions</a>: send it as <code>X-API-Key</code>. The free plan has 150 decisions in a calendar month.</p>
${trustKeys.length === 0 ? html`<div class="empty" role="status"><p><strong>No keys yet.</strong></p><p>Make the first one below.</p></div>` : table(trustKeys, session, site)}
<section aria-labelledby="new"><h2 id="new">New key</h2><div class="sign-in">
${changeForm(
  PATH,
  session,
  site,
  html`<p><label for="name">Name, to tell it from others</label><input type="text" id="name" name="name" value="${typed('name')}" maxlength="100" autocomplete="off" required></p>
<p><button>Make a key</button></p>`,
)}</div></section>`,
    }
  },
})

const table = (found: readonly Key[], visit: Visit, site: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="API keys"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Made</th><th scope="col">Used this month</th><th scope="col">Revoke</th></tr></thead>
<tbody>${found.map(
    ({
      id,
      name,
      hint,
      createdAt,
      used,
      limit,
    }) => html`<tr><th scope="row">${name}</th><td><code>${hint}…</code></td><td><time datetime="${createdAt}">${dayOf(createdAt)}</time></td>
<td>${limit != null && html`<meter min="0" max="${limit}" high="${limit * 0.8}" value="${used}" aria-label="Decisions with ${name}"></meter> `}${whole(used)}${limit != null && html` of ${whole(limit)}`}</td>
<td><details class="confirm"><summary>Revoke…</summary>${changeForm(`${PATH}/revoke`, visit, site, html`<input type="hidden" name="id" value="${id}"><p>Programs that use it are refused at once.</p><p><button class="danger">Revoke ${name}</button></p>`)}</details></td></tr>`,
  )}</tbody></table></div>`

/** A new key, this once. */
const newKey = (name: string, secret: string, { at, publicUrl }: Site): Html => html`<h1>New key</h1>
<p class="lead">This is <strong>${name}</strong>. Store it now: it is shown only once.</p>
${codeBlock({ id: 'key', text: secret, label: 'Key' })}
<h2>Try it</h2>
${codeBlock({
  id: 'command',
  text: `curl ${publicUrl}/v1/decide -H 'x-api-key: ${secret}' \\\n  -H 'content-type: application/json' -d '{"domain": "github.com"}'`,
  language: 'sh',
  label: 'Command',
})}
<p><a href="${at(PATH)}">Back to the keys</a></p>`

export const keyForms = (site: Site) => [
  userForm({
    path: PATH,
    on: keys,
    operations: [AccountCreateKeyDocument],
    async submit({ field, run }) {
      const { result } = dataOf(await run(AccountCreateKeyDocument, { name: field('name') }))
      return result.__typename === 'CreateTrustKeySuccess'
        ? { kind: 'shown', body: newKey(result.key.name, result.secret, site) }
        : refusedBecause(result.message)
    },
  }),
  userForm({
    path: `${PATH}/revoke`,
    on: keys,
    operations: [AccountRevokeKeyDocument],
    async submit({ field, run }) {
      const { result } = dataOf(await run(AccountRevokeKeyDocument, { id: field('id') }))
      return result.__typename === 'RevokeTrustKeySuccess'
        ? { kind: 'done', at: PATH, notice: 'revoked' }
        : refusedBecause('That key had been revoked already.')
    },
  }),
]
