import { AccountDeleteDocument, AccountErasureDocument, AccountRevokeKeyDocument } from '#generated/operations.ts'
import { refusedBecause, toChanged } from '../frame/change.ts'
import { changeForm } from '../frame/form-token.ts'
import { html } from '../frame/html.ts'
import { dataOf, OperationFailed } from '../frame/page.ts'
import { userForm, userPage } from './page.ts'

const PATH = '/account/delete'
const LAST_ADMINISTRATOR =
  'You are the last administrator: make another user an administrator first. Nothing was deleted, and your keys go on.'

export const erasure = userPage({
  path: PATH,
  label: 'Delete',
  operations: [],
  body: async ({ session, site }) => ({
    title: 'Delete the account',
    body: html`<h1>Delete the account</h1>
<p>Your profile, posts, comments, likes, messages and collections are deleted at once, your API keys are revoked, and rooms pass to their longest-standing member. Stores stay, without an owner. Nothing of this can be undone.</p>
<details class="confirm"><summary>Delete the account of ${session.user.name}…</summary>${changeForm(
      PATH,
      session,
      site,
      html`<p class="choice"><input type="checkbox" id="understood" name="understood" value="yes" required> <label for="understood">I understand that everything that I wrote is deleted</label></p>
<p><button class="danger">Delete the account</button></p>`,
    )}</details>`,
  }),
})

export const erasureForms = [
  userForm({
    path: PATH,
    on: erasure,
    operations: [AccountDeleteDocument, AccountErasureDocument, AccountRevokeKeyDocument],
    async submit({ field, session, run, signOut }) {
      if (field('understood') !== 'yes') return refusedBecause('Tick that you understand what is deleted.')
      const answer = await run(AccountErasureDocument, {})
      const { me, trustKeys } = dataOf(answer)
      if (!me) throw new OperationFailed(answer.errors)
      // The one thing that the deletion is refused for: the keys must not be gone by then.
      if (me.isLastAdministrator) return refusedBecause(LAST_ADMINISTRATOR)
      // While the user exists: afterwards, nothing may revoke them.
      for (const { id } of trustKeys) dataOf(await run(AccountRevokeKeyDocument, { id }))
      const { result } = dataOf(await run(AccountDeleteDocument, { id: session.user.id }))
      const changed = toChanged(result, { at: '/', notice: '' })
      if (changed.kind === 'done') signOut()
      return changed
    },
  }),
]
