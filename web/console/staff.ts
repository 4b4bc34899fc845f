import {
  ConsoleInviteStaffMemberDocument,
  ConsoleRemoveStaffMemberDocument,
  ConsoleStaffDocument,
  type ConsoleStaffQuery,
  ConsoleUpdateStaffMemberDocument,
  type StaffRole,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { chip } from '../frame/chip.ts'
import { dayOf } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { consoleChange } from './change.ts'
import { onceField, selectInput, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import { consolePage, ROLE_LABELS } from './page.ts'
import { readForm } from './read-form.ts'

const STAFF = '/console/staff'

type Member = ConsoleStaffQuery['staffMembers'][number]
type StaffPage = { readonly form: (path: string) => FormState; readonly visit: Visit; readonly site: Site }

/** Roles that can be given, with what they are for. */
const GIVEN_ROLES: readonly (readonly [role: StaffRole, label: string])[] = [
  ['MANAGER', `${ROLE_LABELS.MANAGER}: everything but staff, apps and authtoken`],
  ['CATALOGUE', `${ROLE_LABELS.CATALOGUE}: products, promotions and pages`],
  ['FULFILLMENT', `${ROLE_LABELS.FULFILLMENT}: reads orders, changes shipments`],
  ['SUPPORT', `${ROLE_LABELS.SUPPORT}: reads orders and customers, changes nothing`],
]
const ROLES = lookupTable<StaffRole>(Object.fromEntries(GIVEN_ROLES.map(([role]) => [role, role])))

export const staff = consolePage({
  path: STAFF,
  label: 'Staff',
  needs: ['store_owner'],
  operations: [ConsoleStaffDocument],
  notices: {
    invited: 'The invitation was sent by e-mail.',
    saved: 'The member was changed. A role holds within two seconds.',
    removed: 'The access was removed. Open pages end within two seconds.',
  },
  async body({ run, site, visit, form }) {
    const { staffMembers } = dataOf(await run(ConsoleStaffDocument, {}))
    const page = { form, visit, site }
    return html`<h1>Staff</h1>
<p class="lead">People who work in this store with their own accounts. Each has a role, and <a href="${site.at('/docs/store')}#staff">a table says what it may do</a>.</p>
${staffMembers.length === 0 ? html`<div class="empty" role="status"><p><strong>No staff yet.</strong></p><p>Invite the first person below.</p></div>` : html`<ul class="cards">${staffMembers.map((member) => card(member, page))}</ul>`}
<section aria-labelledby="invite"><h2 id="invite">Invite somebody</h2>${inviteForm(page)}</section>`
  },
})

function inviteForm({ form: formAt, visit, site }: StaffPage): Html {
  const form = formAt(`${STAFF}/invite/new`)
  return html`<div class="edit">${changeForm(
    `${STAFF}/invite/new`,
    visit,
    site,
    html`${onceField()}${textInput(form, { name: 'email', label: 'E-mail address', stored: '', type: 'email', maxLength: 254, isRequired: true })}
${selectInput(form, { name: 'role', label: 'Role', stored: 'SUPPORT', options: GIVEN_ROLES })}
<p><button>Invite</button></p>`,
  )}</div>`
}

function card(member: Member, { form: formAt, visit, site }: StaffPage): Html {
  const { number, version, user, email, lowStockEmail, role, acceptedAt, expiresAt } = member
  const path = `${STAFF}/role/${number}`
  const form = formAt(path)
  const name = email ?? user?.name ?? 'Deleted user'
  return html`<li class="card"><h2>${name}</h2>
<p class="facts"><span>${ROLE_LABELS[role]}</span> ${acceptedAt === null ? chip(`invited until ${dayOf(expiresAt ?? '')}`, 'doubt') : html`<span>since <time datetime="${acceptedAt}">${dayOf(acceptedAt)}</time></span>`}</p>
<details${form.wasRefused && html` open`}><summary>Change ${name}</summary>${changeForm(
    path,
    visit,
    site,
    html`${versionField(version)}${selectInput(form, { name: 'role', label: 'Role', stored: role, options: GIVEN_ROLES })}
${textInput(form, { name: 'lowStockEmail', label: 'Address for e-mails about low stock', stored: lowStockEmail ?? '', type: 'email', maxLength: 254, hint: 'Empty: none are sent to this person.' })}
<p><button class="secondary">Save ${name}</button></p>`,
  )}</details>
<details class="confirm"><summary>Remove…</summary>${changeForm(
    `${STAFF}/remove/${number}`,
    visit,
    site,
    html`<p>${name} loses access to this store within two seconds.</p><p><button class="danger">Remove ${name}</button></p>`,
  )}</details></li>`
}

export const staffChanges = [
  consoleChange({
    path: `${STAFF}/invite/new`,
    on: staff,
    operations: [ConsoleInviteStaffMemberDocument],
    async make({ field, run }) {
      const form = readForm(field)
      const role = form.choice<StaffRole>('role', ROLES, 'SUPPORT')
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = { email: form.text('email'), role, idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleInviteStaffMemberDocument, { input }))
      if (result.__typename === 'InviteStaffMemberSuccess' && result.acceptUrl)
        return { kind: 'shown', body: invitation(input.email, result.acceptUrl) }
      return toChanged(result, { at: STAFF, notice: 'invited' })
    },
  }),
  consoleChange({
    path: `${STAFF}/role/{number}`,
    on: staff,
    operations: [ConsoleUpdateStaffMemberDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const role = form.choice<StaffRole>('role', ROLES, 'SUPPORT')
      const input = { role, lowStockEmail: form.optional('lowStockEmail'), expectedVersion: form.version() }
      if (form.hasProblems()) return refusedFields(form.problems())
      return toChanged(dataOf(await run(ConsoleUpdateStaffMemberDocument, { number, input })).result, {
        at: STAFF,
        notice: 'saved',
      })
    },
  }),
  consoleChange({
    path: `${STAFF}/remove/{number}`,
    on: staff,
    operations: [ConsoleRemoveStaffMemberDocument],
    async make({ path: { number }, run }) {
      return toChanged(dataOf(await run(ConsoleRemoveStaffMemberDocument, { number })).result, { at: STAFF, notice: 'removed' })
    },
  }),
]

/** The address of an invitation, this once. */
const invitation = (email: string, url: string): Html => html`<h1>Invitation for ${email}</h1>
<p class="lead">No e-mail was sent: give this address to the person yourself.</p>
<p><code>${url}</code></p>
<p><strong>It is shown only once</strong>, works once, and expires after seven days.</p>`
