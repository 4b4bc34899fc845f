import { AccountProfileDocument, type AccountProfileQuery, AccountUpdateProfileDocument } from '#generated/operations.ts'
import { toChanged } from '../frame/change.ts'
import { chip } from '../frame/chip.ts'
import { counted, dayOf, whole } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, OperationFailed } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { userForm, userPage } from './page.ts'

const PATH = '/account'
const ROLES = { USER: 'user', MODERATOR: 'moderator', ADMIN: 'administrator' } as const

type User = NonNullable<AccountProfileQuery['me']>

export const profile = userPage({
  path: PATH,
  label: 'Profile',
  operations: [AccountProfileDocument],
  notices: { saved: 'The profile was saved.' },
  async body({ run, site, session, typed }) {
    const answer = await run(AccountProfileDocument, {})
    const { me, roomInvitations } = dataOf(answer)
    if (!me) throw new OperationFailed(answer.errors)
    return {
      title: 'Your account',
      body: html`<h1>${me.name}</h1>
${roomInvitations.totalCount > 0 && html`<p class="alert" role="status"><a href="${site.at('/rooms')}">${counted(roomInvitations.totalCount, 'invitation')} to a room</a> to answer.</p>`}
<div class="halves">
<section aria-labelledby="profile"><h2 id="profile">Profile</h2>${form(me, session, site, typed)}</section>
<section aria-labelledby="about"><h2 id="about">About the account</h2><dl class="facts-list">
<dt>Role</dt><dd>${ROLES[me.role]}</dd>
<dt>Since</dt><dd><time datetime="${me.createdAt}">${dayOf(me.createdAt)}</time></dd>
${quota(me)}
<dt>Id</dt><dd><code>${me.id}</code></dd></dl>
<h3>Your posts</h3>${posts(me, site)}</section>
</div>`,
    }
  },
})

const form = (me: User, visit: Visit, site: Site, typed: (field: string) => string): Html =>
  changeForm(
    `${PATH}/profile`,
    visit,
    site,
    html`<p><label for="name">Name, which is public</label><input type="text" id="name" name="name" value="${typed('name') || me.name}" autocomplete="name" maxlength="100" required></p>
<p><label for="email">E-mail address</label><input type="email" id="email" name="email" value="${typed('email') || me.email}" autocomplete="email" maxlength="254" required></p>
<p><label for="phone">Phone number (optional), such as +4915112345678</label><input type="text" id="phone" name="phone" value="${typed('phone') || me.phoneNumber}" autocomplete="tel" inputmode="tel" maxlength="16"></p>
<p><label for="current">Current password, for another e-mail address only</label><input type="password" id="current" name="current" autocomplete="current-password" maxlength="256"></p>
<p><button>Save</button></p>`,
  )

function quota({ writeQuota }: User): Html | null {
  const writes = writeQuota?.writesPerMinute
  const bytes = writeQuota?.bytesPerDay
  if (!writes && !bytes) return null
  return html`<dt>You may write</dt><dd>${writes && html`${whole(writes.left)} of ${counted(writes.limit, 'text')} now`}${writes && bytes && ', '}${bytes && html`${whole(Math.floor(bytes.left / 1000))} of ${whole(Math.floor(bytes.limit / 1000))} kB today`}</dd>`
}

const posts = ({ posts: written }: User, site: Site): Html =>
  written.length === 0
    ? html`<p>None yet. <a href="${site.at('/posts')}">Write the first one</a>, or write about an item on its page.</p>`
    : html`<ul>${written.map(({ id, title, published }) => html`<li><a href="${site.at(`/posts/${id}`)}">${title}</a> ${!published && chip('draft', 'doubt')}</li>`)}</ul>`

export const profileForms = [
  userForm({
    path: `${PATH}/profile`,
    on: profile,
    operations: [AccountUpdateProfileDocument],
    async submit({ field, session, run, rename }) {
      const name = field('name')
      const phoneNumber = field('phone').replaceAll(/[\s()-]/g, '') || null
      const input = { name, email: field('email').trim(), phoneNumber, currentPassword: field('current') || null }
      const { result } = dataOf(await run(AccountUpdateProfileDocument, { id: session.user.id, input }))
      const changed = toChanged(result, { at: PATH, notice: 'saved' })
      if (changed.kind === 'done') rename(name.trim())
      return changed
    },
  }),
]
