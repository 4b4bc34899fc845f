import {
  AccountChangePasswordDocument,
  AccountEndSessionDocument,
  AccountSessionsDocument,
  type AccountSessionsQuery,
  AccountSignOutElsewhereDocument,
} from '#generated/operations.ts'
import { refusedBecause, toChanged } from '../frame/change.ts'
import { chip } from '../frame/chip.ts'
import { momentOf } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { userForm, userPage } from './page.ts'

const PATH = '/account/security'

type Session = AccountSessionsQuery['sessions'][number]

export const security = userPage({
  path: PATH,
  label: 'Security',
  operations: [AccountSessionsDocument],
  notices: {
    password: 'The password was changed, and every other session was ended.',
    ended: 'The session was ended.',
    elsewhere: 'Every other session was ended.',
  },
  async body({ run, site, session }) {
    const { sessions } = dataOf(await run(AccountSessionsDocument, {}))
    return {
      title: 'Security',
      body: html`<h1>Security</h1>
<section aria-labelledby="sessions"><h2 id="sessions">Sessions</h2>
<p>A session is one sign-in: of a browser, or of a program. It ends 30 days after its last use.</p>
<div class="wide" tabindex="0" role="region" aria-labelledby="sessions"><table>
<thead><tr><th scope="col">Signed in</th><th scope="col">Last refreshed</th><th scope="col">Ends</th><th scope="col">End it</th></tr></thead>
<tbody>${sessions.map((each) => row(each, session, site))}</tbody></table></div>
${
  sessions.length > 1 &&
  changeForm(`${PATH}/elsewhere`, session, site, html`<p><button class="secondary">End all other sessions</button></p>`)
}</section>
<section aria-labelledby="password"><h2 id="password">Password</h2><div class="sign-in">
${changeForm(
  `${PATH}/password`,
  session,
  site,
  html`<p><label for="current">Current password</label><input type="password" id="current" name="current" autocomplete="current-password" maxlength="256" required></p>
<p><label for="new">New password, 8 characters or more</label><input type="password" id="new" name="new" autocomplete="new-password" minlength="8" maxlength="256" required></p>
<p><button>Change the password</button></p>`,
)}</div></section>`,
    }
  },
})

const row = ({ id, createdAt, refreshedAt, expiresAt, isCurrent }: Session, visit: Visit, site: Site): Html =>
  html`<tr><th scope="row">${moment(createdAt)}</th><td>${moment(refreshedAt)}</td><td>${moment(expiresAt)}</td><td>${
    isCurrent
      ? chip('this one', 'good')
      : changeForm(
          `${PATH}/end`,
          visit,
          site,
          html`<input type="hidden" name="id" value="${id}"><button class="plain" aria-label="End the session of ${momentOf(createdAt)}">End</button>`,
        )
  }</td></tr>`

const moment = (time: string): Html => html`<time datetime="${time}">${momentOf(time)}</time>`

export const securityForms = [
  userForm({
    path: `${PATH}/end`,
    on: security,
    operations: [AccountEndSessionDocument],
    async submit({ field, run }) {
      const { result } = dataOf(await run(AccountEndSessionDocument, { id: field('id') }))
      return result.__typename === 'EndSessionSuccess'
        ? { kind: 'done', at: PATH, notice: 'ended' }
        : refusedBecause('That session had ended already.')
    },
  }),
  userForm({
    path: `${PATH}/elsewhere`,
    on: security,
    operations: [AccountSignOutElsewhereDocument],
    async submit({ run }) {
      dataOf(await run(AccountSignOutElsewhereDocument, {}))
      return { kind: 'done', at: PATH, notice: 'elsewhere' }
    },
  }),
  userForm({
    path: `${PATH}/password`,
    on: security,
    operations: [AccountChangePasswordDocument],
    async submit({ field, run }) {
      const passwords = { currentPassword: field('current'), newPassword: field('new') }
      const { result } = dataOf(await run(AccountChangePasswordDocument, passwords))
      if (result.__typename === 'InvalidCredentials') return refusedBecause('The current password is wrong.')
      return toChanged(result, { at: PATH, notice: 'password' })
    },
  }),
]
