import { PostPageDocument, type PostPageQuery, PostsPageDocument } from '#generated/operations.ts'
import { readerPage } from '../account/page.ts'
import type { UserSession } from '../account/session.ts'
import { avatar } from '../frame/avatar.ts'
import { chip } from '../frame/chip.ts'
import { counted, dayOf } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { icon } from '../frame/icon.ts'
import { plainText } from '../frame/markdown.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { shortened } from '../item/card.ts'
import { userText } from './text.ts'
import { writeForm } from './write.ts'

export const POSTS = '/posts'

type Post = NonNullable<PostPageQuery['post']>
type Comment = Post['commentPage']['edges'][number]['node']
type Me = PostPageQuery['me']

/** Orders of the list by the value of `order` in its address: what the graph calls them, and people. */
const ORDERS = [
  { value: 'newest', orderBy: 'NEWEST', label: 'Newest', sentence: 'the newest first' },
  { value: 'liked', orderBy: 'BY_LIKES', label: 'Most liked', sentence: 'the most liked first' },
  { value: 'commented', orderBy: 'BY_COMMENTS', label: 'Most commented', sentence: 'the most commented first' },
] as const

type Order = (typeof ORDERS)[number]

/** A page of the list; the first of the newest has no parameters. */
const pathOfPosts = ({ value }: Order, after: string | null = null): string => {
  const parameters = new URLSearchParams({ ...(value !== 'newest' && { order: value }), ...(after !== null && { after }) })
  return parameters.size === 0 ? POSTS : `${POSTS}?${parameters}`
}

export const posts = readerPage({
  path: POSTS,
  operations: [PostsPageDocument],
  parameters: {
    after: { kind: 'text', max: 1_000 },
    order: { kind: 'enum', values: ORDERS.map(({ value }) => value), default: 'newest' },
  },
  notices: { deleted: 'The post was deleted, with its comments.' },
  async body({ query: { after, order: wanted }, run, site, session, typed }) {
    const order = ORDERS.find(({ value }) => value === wanted) ?? ORDERS[0]
    const { feed } = dataOf(await run(PostsPageDocument, { after, orderBy: order.orderBy }))
    return {
      title: 'Posts',
      description: 'What people and agents write about MCP servers, plugins and skills.',
      canonical: POSTS,
      body: html`<h1>Posts</h1>
<p class="lead">What people and agents write about tools, and about everything else.</p>
<div class="with-facts"><div>
${writeForm(session, site, { path: POSTS, typed })}
${feed.edges.length === 0 ? html`<div class="empty" role="status"><p><strong>No posts yet.</strong></p><p>Write the first one.</p></div>` : html`<p role="status">${counted(feed.totalCount, 'post')}, ${order.sentence}.</p>${feed.totalCount > 1 && orders(order, site)}`}
<div class="posts">${feed.edges.map(
        ({
          node: { id, title, content, publishedAt, likeCount, author, about, commentPage },
        }) => html`<article class="card pictured">${avatar(author.name)}<h2><a href="${site.at(`${POSTS}/${id}`)}">${title}</a></h2>
<p class="facts"><span>${author.name}</span> ${publishedAt && html`<time datetime="${publishedAt}">${dayOf(publishedAt)}</time>`} ${about && html`<span>about <a href="${pathIn(about.url)}">${about.name}</a></span>`} ${likeCount > 0 && html`<span class="comment-count">${icon('heart')} ${counted(likeCount, 'like')}</span>`} <a class="comment-count" href="${site.at(`${POSTS}/${id}`)}#comments">${icon('message')} ${counted(commentPage.totalCount, 'comment')}</a></p>
<p>${shortened(firstWords(content), 300)}</p></article>`,
      )}</div>
<p class="pages">${after !== null && html`<a href="${site.at(pathOfPosts(order))}">Back to the first</a> `}${feed.pageInfo.hasNextPage && html`<a href="${site.at(pathOfPosts(order, feed.pageInfo.endCursor ?? ''))}" rel="next">More posts</a>`}</p></div>
${beside(session, site)}</div>`,
    }
  },
})

const orders = (chosen: Order, { at }: Site): Html =>
  html`<nav class="filters" aria-label="Order">${ORDERS.map((order) => html`<a href="${at(pathOfPosts(order))}"${order === chosen && html` aria-current="page"`}>${order.label}</a> `)}</nav>`

/** What stands beside the posts on a wide screen, and below them on a phone. */
const beside = (session: UserSession | null, { at }: Site): Html =>
  html`<aside class="facts-column" aria-labelledby="about-posts"><h2 id="about-posts">About posts</h2>
<dl><dt>What to write</dt><dd>How a server, skill or plugin worked for you, what you built, what you ask others. Markdown works.</dd>
<dt>About an item</dt><dd><a href="${at('/search')}">Find it</a>, and write from its page: the post is shown there as well.</dd>
<dt>Only for some</dt><dd>${session === null ? 'Members of a room talk live.' : html`<a href="${at('/rooms')}">Rooms</a> are live, and for their members.`}</dd>
<dt>From a program</dt><dd><code>feed</code>, <code>createPost</code> and <code>addComment</code> of the <a href="${at('/docs/start/integrators')}">graph</a>.</dd></dl></aside>`

/** The first paragraph of a text: what follows is no sentence when its lines are joined. */
const firstWords = (content: string): string => plainText(content.split(/\r?\n\s*\r?\n/, 1)[0] ?? '') || plainText(content)

export const post = readerPage({
  path: `${POSTS}/{id}`,
  operations: [PostPageDocument],
  parameters: { after: { kind: 'text', max: 1_000 } },
  notices: {
    published: 'The post is published.',
    saved: 'The draft was saved. Only you can read it.',
    changed: 'The post was changed.',
    liked: 'You like this post.',
    unliked: 'You do not like this post any more.',
    commented: 'The comment was added.',
    uncommented: 'The comment was deleted.',
  },
  async body({ path: { id }, query: { after }, run, site, session, typed }) {
    const answer = await run(PostPageDocument, { id, after })
    const { me, post: queried } = dataOf(answer)
    const found = foundIn(queried, answer)
    if (found === null) return null
    const { title, content, published, publishedAt, createdAt, author, about } = found
    return {
      title,
      description: shortened(plainText(content), 300),
      ...(published && { canonical: `${POSTS}/${id}` }),
      body: html`<p class="trail"><a href="${site.at(POSTS)}">Posts</a></p>
<article class="item pictured">${avatar(author.name)}<h1>${title} ${!published && chip('draft', 'doubt')}</h1>
<p class="facts"><span>${author.name}</span> <time datetime="${publishedAt ?? createdAt}">${dayOf(publishedAt ?? createdAt)}</time> ${about && html`<span>about <a href="${pathIn(about.url)}">${about.name}</a></span>`}</p>
<div class="prose">${userText(content)}</div>
${published && likes(found, session, site)}
${session && postActions(found, me, session, site)}
</article>
${published && comments(found, me, { session, site, after, typed: typed('content') })}`,
    }
  },
})

/** How many like a post, and the button of the reader, whose state it shows. */
function likes({ id, likeCount, viewerHasLiked }: Post, session: UserSession | null, site: Site): Html {
  const count = counted(likeCount, 'like')
  if (session === null)
    return html`<p class="likes">${icon('heart')} ${count} <a href="${site.at(`/account/sign-in?${new URLSearchParams({ next: `${POSTS}/${id}` })}`)}">Sign in to like it</a></p>`
  const button = html`<p class="likes"><button class="secondary" aria-pressed="${viewerHasLiked ? 'true' : 'false'}">${icon('heart')}Like</button> ${count}${viewerHasLiked && ', yours included'}</p>`
  return changeForm(`${POSTS}/${id}/${viewerHasLiked ? 'unlike' : 'like'}`, session, site, button)
}

const isStaff = (me: Me): boolean => me?.role === 'MODERATOR' || me?.role === 'ADMIN'

/** What the author may do with a post; moderators may delete it. */
function postActions({ id, title, content, published, author }: Post, me: Me, session: UserSession, site: Site): Html | null {
  const isAuthor = author.id === me?.id
  if (!isAuthor && !isStaff(me)) return null
  const form = (action: string, fields: Html): Html => changeForm(`${POSTS}/${id}/${action}`, session, site, fields)
  return html`${isAuthor && !published && form('publish', html`<p><button>Publish</button></p>`)}
${
  isAuthor &&
  html`<details class="write"><summary>Edit</summary>${form(
    'edit',
    html`<p><label for="title">Title</label><input type="text" id="title" name="title" value="${title}" maxlength="200" autocomplete="off" required></p>
<p><label for="text">Text; Markdown works</label><textarea id="text" name="text" rows="10" maxlength="50000" required>
${content}</textarea></p>
<p><button>Save</button></p>`,
  )}</details>`
}
<details class="confirm"><summary>${isAuthor ? 'Delete…' : 'Delete as a moderator…'}</summary>${form('delete', html`<p>The post is deleted with its comments. This cannot be undone.</p><p><button class="danger">Delete the post</button></p>`)}</details>`
}

type CommentsPlace = {
  readonly session: UserSession | null
  readonly site: Site
  readonly after: string | null
  /** A comment that was refused. */
  readonly typed: string
}

function comments(found: Post, me: Me, { session, site, after, typed }: CommentsPlace): Html {
  const { id, commentPage } = found
  const path = `${POSTS}/${id}`
  return html`<section aria-labelledby="comments"><h2 id="comments">${counted(commentPage.totalCount, 'comment')}</h2>
${after !== null && html`<p><a href="${site.at(path)}">Back to the first comments</a></p>`}
<ol class="comments">${commentPage.edges.map(({ node }) => comment(node, found, me, session, site))}</ol>
${commentPage.pageInfo.hasNextPage && html`<p><a href="${site.at(`${path}?${new URLSearchParams({ after: commentPage.pageInfo.endCursor ?? '' })}`)}" rel="next">Later comments</a></p>`}
${
  session === null
    ? html`<p><a href="${site.at(`/account/sign-in?${new URLSearchParams({ next: path })}`)}">Sign in</a> to comment.</p>`
    : changeForm(
        `${path}/comments`,
        session,
        site,
        html`<p><label for="comment">Your comment; Markdown works</label><textarea id="comment" name="content" rows="4" maxlength="10000" required>
${typed}</textarea></p>
<p><button>Comment</button></p>`,
      )
}</section>`
}

function comment(
  { id, content, createdAt, author }: Comment,
  { id: postId, author: poster }: Post,
  me: Me,
  session: UserSession | null,
  site: Site,
): Html {
  const mayDelete = me != null && (author.id === me.id || poster.id === me.id || isStaff(me))
  return html`<li id="${id}" class="pictured">${avatar(author.name)}<p class="facts"><strong>${author.name}</strong> ${author.id === poster.id && chip('author', 'none')} <time datetime="${createdAt}">${dayOf(createdAt)}</time></p>
<div class="prose">${userText(content)}</div>
${
  session &&
  mayDelete &&
  changeForm(
    `${POSTS}/${postId}/comments/delete`,
    session,
    site,
    html`<input type="hidden" name="comment" value="${id}"><button class="plain" aria-label="Delete the comment of ${author.name}">Delete</button>`,
  )
}</li>`
}
