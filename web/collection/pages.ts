import {
  AddToCollectionPageDocument,
  type CollectionCardFragment,
  CollectionPageDocument,
  type CollectionPageQuery,
  CollectionsPageDocument,
} from '#generated/operations.ts'
import { readerPage, userPage } from '../account/page.ts'
import type { UserSession } from '../account/session.ts'
import { avatar } from '../frame/avatar.ts'
import { chip } from '../frame/chip.ts'
import { counted, dayOf } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { plainText } from '../frame/markdown.ts'
import { dataOf, foundIn, OperationFailed } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { keyOf, ownerOf, shortened, stars } from '../item/card.ts'
import { kindIcon } from '../item/category-icon.ts'
import { KIND_LABELS } from '../item/kind.ts'
import { userText } from '../post/text.ts'
import { collectionFields, VISIBILITIES, visibilityIn } from './fields.ts'
import { addPath, COLLECTIONS, pathOfCollection } from './path.ts'

type Collection = NonNullable<CollectionPageQuery['itemCollection']>
type Entry = Collection['entries'][number]

const card = (
  { id, name, description, visibility, entryCount, entries, updatedAt, author }: CollectionCardFragment,
  site: Site,
): Html =>
  html`<article class="card pictured">${avatar(author.name)}<h3><a href="${site.at(pathOfCollection(id))}">${name}</a> ${visibility !== 'PUBLIC' && chip(VISIBILITIES[visibility].word, 'none')}</h3>
<p class="facts"><span>${author.name}</span> <span>${counted(entryCount, 'item')}</span> <time datetime="${updatedAt}">${dayOf(updatedAt)}</time></p>
${description !== '' && html`<p>${shortened(plainText(description))}</p>`}
${preview(entries, entryCount)}</article>`

/** Names of the first items of a collection, without those that left the directory; null when there are none. */
function preview(first: CollectionCardFragment['entries'], count: number): Html | null {
  const names = first.flatMap(({ item }) => item?.name ?? [])
  if (names.length === 0) return null
  const more = count - first.length
  return html`<p class="quiet">${shortened(names.join(', '))}${more > 0 && ` and ${more} more`}</p>`
}

const EMPTY = { name: '', description: '', visibility: 'PRIVATE' } as const

/** The fields of a form that was refused, for another try; null when none was. */
function typedFields(typed: (field: string) => string) {
  const [name, description, visibility] = [typed('name'), typed('description'), typed('visibility')]
  if (name === '' && description === '' && visibility === '') return null
  return { name, description, visibility: visibilityIn(visibility) ?? EMPTY.visibility }
}

/** A form for a new collection; `itemId`: its first item. */
const newForm = (session: UserSession, site: Site, itemId: string | null, refused: ReturnType<typeof typedFields>): Html =>
  html`<details class="write"${(itemId !== null || refused !== null) && html` open`}><summary>New collection</summary>${changeForm(
    COLLECTIONS,
    session,
    site,
    html`${itemId !== null && html`<input type="hidden" name="itemId" value="${itemId}">`}${collectionFields(refused ?? EMPTY)}
<p><button>Create</button></p>`,
  )}</details>`

export const collections = readerPage({
  path: COLLECTIONS,
  operations: [CollectionsPageDocument],
  parameters: { after: { kind: 'text', max: 1_000 } },
  notices: { deleted: 'The collection was deleted.' },
  async body({ query: { after }, run, site, session, typed }) {
    const { me, itemCollections: list } = dataOf(await run(CollectionsPageDocument, { after }))
    return {
      title: 'Collections',
      description: 'Servers, plugins and skills that people put together and share.',
      canonical: COLLECTIONS,
      body: html`<h1>Collections</h1>
<p class="lead">Servers, plugins and skills that people put together. Items are added from their pages.</p>
${
  session === null
    ? html`<p><a class="button" href="${site.at(`/account/sign-in?${new URLSearchParams({ next: COLLECTIONS })}`)}">Sign in to make one</a></p>`
    : newForm(session, site, typed('itemId') || null, typedFields(typed))
}
${me && me.itemCollections.length > 0 && html`<section aria-labelledby="own"><h2 id="own">Yours</h2><div class="tiles">${me.itemCollections.map((each) => card(each, site))}</div></section>`}
<section aria-labelledby="public"><h2 id="public">Public</h2>
${list.edges.length === 0 ? html`<div class="empty" role="status"><p><strong>No public collections yet.</strong></p><p>Make one, and add items from their pages: <a href="${site.at('/search')}">find the first</a>.</p></div>` : html`<p role="status">${counted(list.totalCount, 'collection')}, last changed first.</p>`}
<div class="tiles">${list.edges.map(({ node }) => card(node, site))}</div>
<p class="pages">${after !== null && html`<a href="${site.at(COLLECTIONS)}">Back to the first</a> `}${list.pageInfo.hasNextPage && html`<a href="${site.at(`${COLLECTIONS}?${new URLSearchParams({ after: list.pageInfo.endCursor ?? '' })}`)}" rel="next">More collections</a>`}</p></section>`,
    }
  },
})

export const collection = readerPage({
  path: `${COLLECTIONS}/{id}`,
  // That of an unlisted collection is known to those only who were given it.
  isSecret: true,
  operations: [CollectionPageDocument],
  notices: {
    created: 'The collection was created.',
    changed: 'The collection was changed.',
    added: 'The item is in the collection.',
    removed: 'The item was removed.',
    moved: 'The item was moved.',
  },
  async body({ path: { id }, run, site, session, typed }) {
    const answer = await run(CollectionPageDocument, { id })
    const { me, itemCollection } = dataOf(answer)
    // Items that left the directory are errors of their own fields.
    const found = itemCollection ?? foundIn(itemCollection, answer)
    if (found === null) return null
    const { name, description, visibility, updatedAt, author, entries } = found
    const [isAuthor, isStaff] = [author.id === me?.id, me?.role === 'MODERATOR' || me?.role === 'ADMIN']
    const gone = entries.filter(({ item }) => !item)
    const failures = answer.errors.filter(({ extensions }) => extensions?.code !== 'NOT_FOUND')
    if (gone.length > 0 && failures.length > 0) throw new OperationFailed(failures)
    const own = isAuthor ? session : null
    return {
      title: name,
      description: shortened(
        plainText(description) || `A collection of ${counted(entries.length, 'item')} by ${author.name}.`,
        300,
      ),
      ...(visibility === 'PUBLIC' && { canonical: `${COLLECTIONS}/${id}` }),
      body: html`<p class="trail"><a href="${site.at(COLLECTIONS)}">Collections</a></p>
<article class="item pictured">${avatar(author.name)}<h1>${name} ${visibility !== 'PUBLIC' && chip(VISIBILITIES[visibility].word, 'none')}</h1>
<p class="facts"><span>${author.name}</span> <span>${counted(entries.length - gone.length, 'item')}</span> <time datetime="${updatedAt}">${dayOf(updatedAt)}</time></p>
<div class="prose">${userText(description)}</div></article>
${entries.length === 0 && html`<p role="status">No items yet. <a href="${site.at('/search')}">Find one</a>, and add it from its page.</p>`}
<ol class="cards">${entries.map((one, at) => entry(one, { at, count: entries.length, collection: found, session: own, site }))}</ol>
${gone.length > 0 && html`<p class="quiet">${counted(gone.length, 'item')} left the directory.</p>`}
${session && (isAuthor || isStaff) && actions(found, { isAuthor, session, site, refused: typedFields(typed) })}`,
    }
  },
})

type EntryPlace = {
  readonly at: number
  readonly count: number
  readonly collection: Collection
  /** Of the author; null: nothing can be changed. */
  readonly session: UserSession | null
  readonly site: Site
}

/** An item with its note; nothing of one that left the directory, but for its author, who removes it. */
function entry({ item, itemId, note }: Entry, { at, count, collection: { id }, session, site }: EntryPlace): Html | null {
  if (!item && session === null) return null
  const path = pathOfCollection(id)
  const form = (action: string, fields: Html): Html | null =>
    session &&
    changeForm(`${path}/${action}`, session, site, html`<input type="hidden" name="itemId" value="${itemId}">${fields}`)
  const move = (label: string, position: number): Html | null =>
    form(
      'move',
      html`<input type="hidden" name="position" value="${position}"><button class="plain" aria-label="Move ${label}: ${item?.name ?? 'the item'}">Move ${label}</button>`,
    )
  return html`<li class="card${item && ' pictured'}">${
    item
      ? html`${avatar(ownerOf(item))}<h3><a href="${pathIn(item.url)}">${item.name}</a></h3>
<p class="facts"><span class="kind">${kindIcon(item.kind)} ${KIND_LABELS[item.kind].one}</span> <code>${keyOf(item)}</code> ${stars(item.popularity)}</p>
${item.description !== '' && html`<p>${shortened(plainText(item.description))}</p>`}`
      : html`<p class="quiet">An item that left the directory</p>`
  }
${note !== '' && html`<p class="note"><span class="spoken">Note: </span>${note}</p>`}
${
  session &&
  html`<div class="actions">${at > 0 && move('up', at)}${at < count - 1 && move('down', at + 2)}${form('items/remove', html`<button class="plain" aria-label="Remove ${item?.name ?? 'the item'}">Remove</button>`)}</div>
${item && html`<details class="write"><summary>Note</summary>${form('items', html`<p><label for="note-${at}">Note about ${item.name}</label><input type="text" id="note-${at}" name="note" value="${note}" maxlength="1000" autocomplete="off"></p><p><button>Save</button></p>`)}</details>`}`
}</li>`
}

type ActionsPlace = {
  readonly isAuthor: boolean
  readonly session: UserSession
  readonly site: Site
  /** What was typed into the form, if it was refused. */
  readonly refused: ReturnType<typeof typedFields>
}

/** What the author may do; moderators may delete what is not private. */
const actions = (found: Collection, { isAuthor, session, site, refused }: ActionsPlace): Html =>
  html`${isAuthor && html`<details class="write"${refused !== null && html` open`}><summary>Edit</summary>${changeForm(`${pathOfCollection(found.id)}/edit`, session, site, html`${collectionFields(refused ?? found)}<p><button>Save</button></p>`)}</details>`}
<details class="confirm"><summary>${isAuthor ? 'Delete…' : 'Delete as a moderator…'}</summary>${changeForm(`${pathOfCollection(found.id)}/delete`, session, site, html`<p>The collection is deleted; its items stay in the directory. This cannot be undone.</p><p><button class="danger">Delete the collection</button></p>`)}</details>`

export const addToCollection = userPage({
  path: addPath,
  operations: [AddToCollectionPageDocument],
  parameters: { item: { kind: 'text', max: 100 } },
  async body({ query: { item: itemId }, run, site, session, typed }) {
    const { item, me } = dataOf(await run(AddToCollectionPageDocument, { itemId: itemId ?? '' }))
    if (!item) return null
    const own = me?.itemCollections ?? []
    return {
      title: `Add ${item.name} to a collection`,
      body: html`<p class="trail"><a href="${pathIn(item.url)}">${item.name}</a></p>
<h1>Add ${item.name} to a collection</h1>
${own.map(
  ({ id, name, visibility, entryCount }) => html`<section class="card"><h2>${name}</h2>
<p class="facts"><span>${VISIBILITIES[visibility].word}</span> <span>${counted(entryCount, 'item')}</span></p>
${changeForm(
  `${pathOfCollection(id)}/items`,
  session,
  site,
  html`<input type="hidden" name="itemId" value="${item.id}"><input type="hidden" name="keep" value="1"><p><label for="note-${id}">Note, if any</label><input type="text" id="note-${id}" name="note" maxlength="1000" autocomplete="off"></p>
<p><button aria-label="Add to ${name}">Add</button></p>`,
)}</section>`,
)}
${newForm(session, site, item.id, typedFields(typed))}`,
    }
  },
})
