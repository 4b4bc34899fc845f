import { ConsoleAppsDocument, type ConsoleAppsQuery, ConsoleRevokeAppDocument } from '#generated/operations.ts'
import { permissionLists } from '../authorize/permissions.ts'
import { toChanged } from '../frame/change.ts'
import { dayOf } from '../frame/figures.ts'
import type { Visit } from '../frame/form-token.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { consoleChange } from './change.ts'
import { consolePage } from './page.ts'

const APPS = '/console/apps'

type Authorization = ConsoleAppsQuery['appAuthorizations'][number]

export const apps = consolePage({
  path: APPS,
  label: 'Apps',
  needs: ['store_owner'],
  operations: [ConsoleAppsDocument],
  notices: { revoked: 'The access of the app was revoked.' },
  async body({ run, site, visit }) {
    const { appAuthorizations: found } = dataOf(await run(ConsoleAppsDocument, {}))
    return html`<h1>Apps</h1>
<p class="lead">Third-party apps with access to the store, granted by its owner.</p>
${found.length === 0 ? html`<div class="empty" role="status"><p><strong>No apps yet.</strong></p><p>Apps appear here after you grant them access.</p></div>` : html`<ul class="cards">${found.map((each) => card(each, visit, site))}</ul>`}`
  },
})

export const appsChanges = [
  consoleChange({
    path: `${APPS}/revoke`,
    on: apps,
    operations: [ConsoleRevokeAppDocument],
    async make({ field, run }) {
      const { result } = dataOf(await run(ConsoleRevokeAppDocument, { number: field('number') }))
      return toChanged(result, { at: APPS, notice: 'revoked' })
    },
  }),
]

const card = ({ number, app, createdAt, permissions }: Authorization, visit: Visit, site: Site): Html => html`<li class="card">
<h2>${app.name}</h2>
<p class="facts"><span>since <time datetime="${createdAt}">${dayOf(createdAt)}</time></span> <code>${app.code}</code>${app.isPrivate && html` <span>app of this store</span>`}</p>
${permissionLists(permissions, `app-${number}`)}
<details class="confirm"><summary>Revoke access…</summary>${changeForm(
  `${APPS}/revoke`,
  visit,
  site,
  html`<input type="hidden" name="number" value="${number}"><p>The app loses access within a second and must request it again.</p><p><button class="danger">Revoke access of ${app.name}</button></p>`,
)}</details></li>`
