import { AccountAcceptStaffInvitationDocument, AccountStaffInvitationDocument } from '#generated/operations.ts'
import { toChanged } from '../frame/change.ts'
import { dayOf } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { userForm, userPage } from './page.ts'

const PATH = '/account/staff/{secret}'

/** The page that an invitation to the staff of a store leads to. */
export const staffInvitation = userPage({
  path: PATH,
  isSecret: true,
  operations: [AccountStaffInvitationDocument],
  async body({ path: { secret }, run, site, session }) {
    const { staffInvitation: found } = dataOf(await run(AccountStaffInvitationDocument, { secret }))
    if (!found)
      return {
        title: 'Invitation expired',
        body: html`<h1>Invitation expired</h1><p>This invitation is unknown, expired or used. Its sender can invite you again.</p>
<p><a href="${site.at('/console/stores')}">Open your stores</a></p>`,
      }
    const { storeName, role, expiresAt } = found
    return {
      title: `Invitation to ${storeName}`,
      body: html`<h1>Work in ${storeName}</h1>
<p class="lead">The owner of ${storeName} invites you, ${session.user.name}, to work in the console of the store.</p>
<dl class="facts-list"><dt>Role</dt><dd>${role.toLowerCase()}</dd><dt>Open until</dt><dd><time datetime="${expiresAt}">${dayOf(expiresAt)}</time></dd></dl>
${changeForm(`/account/staff/${secret}`, session, site, html`<p><button>Accept the invitation</button></p>`)}
<p class="quiet">The owner sees your name, and what you change in the store.</p>`,
    }
  },
})

export const staffInvitationForms = [
  userForm({
    path: PATH,
    on: staffInvitation,
    operations: [AccountAcceptStaffInvitationDocument],
    async submit({ path: { secret }, run }) {
      const { result } = dataOf(await run(AccountAcceptStaffInvitationDocument, { secret }))
      return toChanged(result, { at: '/console/stores', notice: '' })
    },
  }),
]
