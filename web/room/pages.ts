import {
  RoomGuestsDocument,
  type RoomGuestsQuery,
  RoomPageDocument,
  type RoomPageQuery,
  RoomsPageDocument,
  type RoomsPageQuery,
} from '#generated/operations.ts'
import { userPage } from '../account/page.ts'
import type { UserSession } from '../account/session.ts'
import { avatar } from '../frame/avatar.ts'
import { counted, dayOf, momentOf } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn, type RunPageOperation } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { shortened } from '../item/card.ts'
import { messageText } from './message-text.ts'

export const ROOMS = '/rooms'

type Room = NonNullable<RoomPageQuery['room']>
type Message = Room['messages']['edges'][number]['node']
type RoomCard = RoomsPageQuery['rooms']['edges'][number]['node']
type Invitation = RoomsPageQuery['roomInvitations']['edges'][number]['node']

export const rooms = userPage({
  path: ROOMS,
  label: 'Rooms',
  operations: [RoomsPageDocument],
  parameters: { after: { kind: 'text', max: 1_000 } },
  notices: { left: 'You left the room.', declined: 'The invitation was declined.' },
  async body({ query: { after }, run, site, session, typed }) {
    const { rooms: found, roomInvitations } = dataOf(await run(RoomsPageDocument, { after }))
    return {
      title: 'Rooms',
      body: html`<h1>Rooms</h1>
<p class="lead">Rooms are for their members only. Messages arrive while the page is open.</p>
${roomInvitations.totalCount > 0 && html`<section aria-labelledby="invitations"><h2 id="invitations">Invitations</h2><ul class="cards">${roomInvitations.edges.map(({ node }) => invitation(node, session, site))}</ul></section>`}
${found.edges.length === 0 ? html`<div class="empty" role="status"><p><strong>No rooms yet.</strong></p><p>Make one below, and invite others.</p></div>` : html`<ul class="cards">${found.edges.map(({ node }) => card(node, site))}</ul>`}
${found.pageInfo.hasNextPage && html`<p class="pages"><a href="${site.at(`${ROOMS}?${new URLSearchParams({ after: found.pageInfo.endCursor ?? '' })}`)}" rel="next">More rooms</a></p>`}
<section aria-labelledby="new"><h2 id="new">New room</h2><div class="sign-in">${changeForm(
        ROOMS,
        session,
        site,
        html`<p><label for="name">Name</label><input type="text" id="name" name="name" value="${typed('name')}" maxlength="100" autocomplete="off" required></p><p><button>Make a room</button></p>`,
      )}</div></section>`,
    }
  },
})

const card = ({ id, name, owner, messages }: RoomCard, site: Site): Html => {
  const last = messages.edges[0]?.node
  return html`<li class="card pictured">${avatar(name)}<h2><a href="${site.at(`${ROOMS}/${id}`)}">${name}</a></h2>
<p class="facts"><span>of ${owner.name}</span> <span>${counted(messages.totalCount, 'message')}</span></p>
${last && html`<p><strong>${last.author.name}</strong>: ${shortened(last.text, 120)} <time class="quiet" datetime="${last.createdAt}">${dayOf(last.createdAt)}</time></p>`}</li>`
}

const invitation = ({ room: { id, name }, inviter, invitedAt }: Invitation, visit: Visit, site: Site): Html =>
  html`<li class="card"><h3>${name}</h3><p class="facts"><span>from ${inviter.name}</span> <time datetime="${invitedAt}">${dayOf(invitedAt)}</time></p>
${changeForm(`${ROOMS}/${id}/answer`, visit, site, html`<p class="actions"><button name="answer" value="accept">Accept</button> <button name="answer" value="decline" class="secondary">Decline</button></p>`)}</li>`

export const room = userPage({
  path: `${ROOMS}/{id}`,
  operations: [RoomPageDocument, RoomGuestsDocument],
  parameters: { after: { kind: 'text', max: 1_000 }, find: { kind: 'text', max: 100 } },
  notices: {
    made: 'The room was made. Invite others below.',
    joined: 'You are a member now.',
    invited: 'The invitation was sent.',
    removed: 'The user was removed, or the invitation was withdrawn.',
  },
  async body({ path: { id }, query: { after, find }, run, site, session, typed }) {
    const answer = await run(RoomPageDocument, { id, after })
    const found = foundIn(dataOf(answer).room, answer)
    if (found === null) return null
    const isOwner = found.owner.id === session.user.id
    return {
      title: found.name,
      scripts: ['room.js'],
      body: html`<p class="trail"><a href="${site.at(ROOMS)}">Rooms</a></p>
<h1>${found.name}</h1>
<div class="room"><section aria-labelledby="talk"><h2 id="talk" class="spoken">Messages</h2>
${
  after === null
    ? html`<div data-room="${site.at(`${ROOMS}/${id}/events`)}">${changeForm(
        `${ROOMS}/${id}`,
        session,
        site,
        html`<p><label for="text">Message</label><textarea id="text" name="text" rows="3" maxlength="10000" required>
${typed('text')}</textarea></p>
<p class="actions"><button>Send</button> <span class="quiet" data-live role="status"></span></p>`,
      )}</div>`
    : html`<p><a href="${site.at(`${ROOMS}/${id}`)}">Back to the newest messages</a></p>`
}
<div id="messages" aria-live="polite">${messages(found, session)}</div>
${found.messages.pageInfo.hasNextPage && html`<p class="pages"><a href="${site.at(`${ROOMS}/${id}?${new URLSearchParams({ after: found.messages.pageInfo.endCursor ?? '' })}`)}" rel="next">Older messages</a></p>`}</section>
<aside aria-labelledby="members"><h2 id="members">${counted(found.members.totalCount, 'member')}</h2>
${members(found, isOwner, session, site)}
${isOwner && (await guests(id, find, { run, session, site }))}
<details class="confirm"><summary>Leave the room…</summary>${changeForm(`${ROOMS}/${id}/leave`, session, site, html`<p>${isOwner ? 'The longest-standing member becomes its owner; a room without members is deleted.' : 'You can come back by invitation only.'}</p><p><button class="danger">Leave the room</button></p>`)}</details></aside></div>`,
    }
  },
})

const messages = ({ messages: { edges } }: Room, session: UserSession): Html =>
  edges.length === 0
    ? html`<div class="empty"><p><strong>No messages yet.</strong></p><p>Write the first one.</p></div>`
    : html`<ol class="messages">${edges.map(({ node }) => message(node, session))}</ol>`

const message = ({ text, author, createdAt }: Message, { user }: UserSession): Html =>
  html`<li class="pictured${author.id === user.id && ' own'}">${avatar(author.name)}<p class="facts"><strong>${author.name}</strong> <time datetime="${createdAt}">${momentOf(createdAt)}</time></p><p class="message-text">${messageText(text)}</p></li>`

const members = ({ id, owner, members: { edges } }: Room, isOwner: boolean, visit: Visit, site: Site): Html =>
  html`<ul class="members">${edges.map(
    ({ node }) =>
      html`<li><span class="named">${avatar(node.name)} ${node.name}</span>${node.id === owner.id ? html` <span class="quiet">owner</span>` : isOwner && userButton(`${ROOMS}/${id}/remove`, node, 'Remove', visit, site)}</li>`,
  )}</ul>`

const userButton = (
  path: string,
  { id, name }: { readonly id: string; readonly name: string },
  verb: string,
  visit: Visit,
  site: Site,
): Html =>
  changeForm(
    path,
    visit,
    site,
    html`<input type="hidden" name="user" value="${id}"><button class="plain" aria-label="${verb} ${name}">${verb}</button>`,
  )

type GuestsPlace = { readonly run: RunPageOperation; readonly session: UserSession; readonly site: Site }

/** What the owner sees: who is invited, and a search for others. */
async function guests(id: string, find: string | null, { run, session, site }: GuestsPlace): Promise<Html> {
  const { room: own, searchUsers } = dataOf(await run(RoomGuestsDocument, { id, find: find ?? '', isSearch: find !== null }))
  const invited = own?.invitations.edges ?? []
  return html`<h3>Invite</h3>
<search><form action="${site.at(`${ROOMS}/${id}`)}"><p><label for="find">Name of a user</label><input type="search" id="find" name="find" value="${find}" maxlength="100" autocomplete="off"></p><p><button class="secondary">Search</button></p></form></search>
${searchUsers && foundUsers(id, searchUsers, session, site)}
${invited.length > 0 && html`<h3>Invited</h3><ul class="members">${invited.map(({ node: { user } }) => html`<li>${user.name}${userButton(`${ROOMS}/${id}/remove`, user, 'Withdraw', session, site)}</li>`)}</ul>`}`
}

const foundUsers = (id: string, { edges }: NonNullable<RoomGuestsQuery['searchUsers']>, visit: Visit, site: Site): Html =>
  edges.length === 0
    ? html`<p role="status">No user has that name.</p>`
    : html`<ul class="members">${edges.map(({ node }) => html`<li>${node.name} <span class="quiet">since ${dayOf(node.createdAt)}</span>${userButton(`${ROOMS}/${id}/invite`, node, 'Invite', visit, site)}</li>`)}</ul>`
