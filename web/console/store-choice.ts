import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConsoleSignInDocument, ConsoleStoresDocument, type StaffRole } from '#generated/operations.ts'
import type { AccountResponder } from '../account/responder.ts'
import { fieldOf } from '../frame/form.ts'
import { changeForm, isFormOf, type Visit } from '../frame/form-token.ts'
import { html } from '../frame/html.ts'
import { dataOf, foundIn, OperationFailed, type WebPage } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { isUnauthenticated } from './account-forms.ts'
import { ROLE_LABELS } from './page.ts'
import type { ConsoleResponder } from './responder.ts'
import type { sessionsOf } from './session.ts'
import { foreignForm } from './sign-in.ts'

const STORES = '/console/stores'
const SIGN_IN = `/account/sign-in?${new URLSearchParams({ next: STORES })}`

type Choice = { readonly code: string; readonly name: string; readonly role: StaffRole }

/** Pages on which a signed-in user of the site opens the console of a store. */
export function serveStoreChoice(
  scope: FastifyInstance,
  { runnerOf, visitOf, toConsole, show }: ConsoleResponder,
  {
    site,
    sessions,
    accounts,
  }: { readonly site: Site; readonly sessions: ReturnType<typeof sessionsOf>; readonly accounts: AccountResponder },
): void {
  scope.get(STORES, async (request, reply) => {
    const choices = await choicesOf(request, reply)
    return choices ? show(reply, choicePage(choices, visitOf(request, reply), site)) : toConsole(reply, SIGN_IN)
  })
  scope.post('/console/open', async (request, reply) => {
    const visit = sessions.visitOf(request)
    if (!visit || !isFormOf(visit, request)) return show(reply, foreignForm(site))
    const user = await accounts.sessionOf(request, reply)
    if (!user) return toConsole(reply, SIGN_IN)
    const storeCode = fieldOf(request, 'store')
    const { data, errors } = await runnerOf({ storeCode, userToken: user.token }, request, reply)(ConsoleSignInDocument, {})
    if (data !== null) {
      sessions.begin(reply, { storeCode }, data.session.secret)
      return toConsole(reply)
    }
    // Removed from the staff since the page was opened.
    if (isUnauthenticated({ errors })) return toConsole(reply, STORES)
    throw new OperationFailed(errors)
  })

  /** Stores of the signed-in user; null: nobody is signed in. */
  async function choicesOf(request: FastifyRequest, reply: FastifyReply): Promise<readonly Choice[] | null> {
    const user = await accounts.sessionOf(request, reply)
    if (!user) return null
    const answer = await accounts.runnerFor(user, request, reply)(ConsoleStoresDocument, {})
    if (isUnauthenticated(answer)) return null
    const me = foundIn(dataOf(answer).me, answer)
    return [
      ...(me?.stores ?? []).map((store) => ({ ...store, role: 'OWNER' as const })),
      ...(me?.staffMemberships ?? []).map(({ store, role }) => ({ ...store, role })),
    ]
  }
}

const choicePage = (choices: readonly Choice[], visit: Visit, site: Site): WebPage => ({
  title: 'Your stores · Console',
  description: 'Stores that you own or work in.',
  body: html`<h1>Your stores</h1>
${
  choices.length === 0
    ? html`<div class="empty" role="status"><p><strong>No stores yet.</strong></p><p>You work in none. The owner of a store can invite you, or you <a href="${site.at('/account/stores')}">add one that you own</a>.</p></div>`
    : html`<ul class="cards">${choices.map(
        ({ code, name, role }) => html`<li class="card"><h2>${name}</h2>
<p class="facts"><code>${code}</code> <span>${ROLE_LABELS[role]}</span></p>
${changeForm('/console/open', visit, site, html`<input type="hidden" name="store" value="${code}"><p><button>Open ${name}</button></p>`)}</li>`,
      )}</ul>`
}
<p><a href="${site.at('/console')}">Sign in with a login and an authtoken instead</a></p>`,
})
