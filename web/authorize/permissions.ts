import { type Html, html } from '../frame/html.ts'

/** A permission of an app. `subject` completes "It may read …" or "It may change …". */
type Permission = { readonly scope: string; readonly subject: string; readonly mayChange: boolean }

/** What an app may do, in two lists whose ids begin with `id`. */
export const permissionLists = (permissions: readonly Permission[], id: string): Html => {
  const changes = permissions.filter(({ mayChange }) => mayChange)
  return html`${list(
    `${id}-reads`,
    'It may read',
    permissions.filter(({ mayChange }) => !mayChange),
  )}
${list(`${id}-changes`, 'It may change', changes)}
${changes.length === 0 && html`<p>It may change nothing.</p>`}`
}

const list = (id: string, heading: string, permissions: readonly Permission[]): Html | false =>
  permissions.length > 0 &&
  html`<section aria-labelledby="${id}"><h3 id="${id}">${heading}</h3><ul class="permissions">${permissions.map(
    ({ scope, subject }) => html`<li data-scope="${scope}">${subject}</li>`,
  )}</ul></section>`
