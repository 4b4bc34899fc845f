import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { held, releaseAll } from './support/held.ts'
import { type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

let social: Social
let [ann, ben, moderator]: TestUser[] = []
beforeAll(async () => {
  social = await startSocial()
  ;[ann, ben] = [await social.aUser({ name: 'Ann' }), await social.aUser({ name: 'Ben' })]
  moderator = await social.aUser({ role: 'MODERATOR' })
})
afterEach(releaseAll)
afterAll(() => social.close())

async function ask(query: string, variables: Record<string, unknown> = {}, user?: TestUser): Promise<Data> {
  const { data, errors } = await social.ask(query, variables, user?.caller)
  expect(errors).toBeUndefined()
  return data?.r
}
const codeOf = ({ errors }: Answered) => errors?.[0]?.extensions.code
const WRONG = '... on ValidationError { field message errors { field } }'
const CREATE = `mutation ($input: CreatePostInput!) { r: createPost(input: $input) { __typename ${WRONG}
  ... on CreatePostSuccess { post { id title content published publishedAt createdAt updatedAt author { name } about { id } } } } }`
const create = (input: object, user = ann) => ask(CREATE, { input: { title: 'T', content: 'C', ...input } }, user)
const aPost = async (input: object = { published: true }, user = ann): Promise<string> => (await create(input, user)).post.id
const POST = 'query ($id: ID!) { r: post(id: $id) { title published } }'
const UPDATE = `mutation ($id: ID!, $input: UpdatePostInput!) { r: updatePost(id: $id, input: $input) { __typename ${WRONG}
  ... on UpdatePostSuccess { post { title content about { id } } } } }`
const COMMENT = `mutation ($id: ID!, $content: String!) { r: addComment(postId: $id, content: $content) { __typename ${WRONG}
  ... on AddCommentSuccess { comment { id content author { name } post { id } } } } }`
const act = (name: 'publishPost' | 'deletePost' | 'deleteComment') => `mutation ($id: ID!) { r: ${name}(id: $id) { __typename } }`
const titles = ({ edges }: Data): string[] => edges.map(({ node }: Data) => node.title)

describe('a post', () => {
  test('is a draft until it is published, and then public', async () => {
    const { post } = await create({ title: ' Title ', aboutId: 'c2tpbGw' })
    expect(post).toMatchObject({
      title: 'Title',
      published: false,
      publishedAt: null,
      author: { name: 'Ann' },
      about: { id: 'c2tpbGw' },
    })
    expect(await ask(POST, { id: post.id }, ann)).toEqual({ title: 'Title', published: false })
    for (const other of [undefined, ben, moderator]) expect(await ask(POST, { id: post.id }, other)).toBeNull()
    const first = await ask(
      'mutation ($id: ID!) { r: publishPost(id: $id) { ... on PublishPostSuccess { post { publishedAt } } } }',
      { id: post.id },
      ann,
    )
    const again = await ask(
      'mutation ($id: ID!) { r: publishPost(id: $id) { ... on PublishPostSuccess { post { publishedAt } } } }',
      { id: post.id },
      ann,
    )
    expect(again).toEqual(first)
    expect(await ask(POST, { id: post.id })).toEqual({ title: 'Title', published: true })
  })

  test.each([
    ['title', { title: ' ' }],
    ['title', { title: 'x'.repeat(201) }],
    ['content', { content: '' }],
    ['content', { content: 'x'.repeat(50_001) }],
    ['content', { content: 'a\0' }],
    ['aboutId', { aboutId: '' }],
    ['aboutId', { aboutId: 'not an id' }],
    ['aboutId', { aboutId: 'x'.repeat(101) }],
  ])('with a wrong %s is refused, new or changed', async (field, input) => {
    expect(await create(input)).toMatchObject({ __typename: 'ValidationError', field, errors: [{ field }] })
    expect(await ask(UPDATE, { id: await aPost(), input }, ann)).toMatchObject({ __typename: 'ValidationError', field })
  })

  test('says everything that is wrong at once', async () => {
    const { errors } = await create({ title: '', content: '', aboutId: '' })
    expect(errors.map(({ field }: Data) => field)).toEqual(['title', 'content', 'aboutId'])
  })

  test('is changed by its author, as far as something is given', async () => {
    const id = await aPost({ title: 'Old', content: 'Old', aboutId: 'item' })
    expect(await ask(UPDATE, { id, input: { title: 'New' } }, ann)).toMatchObject({
      post: { title: 'New', content: 'Old', about: { id: 'item' } },
    })
    expect(await ask(UPDATE, { id, input: { aboutId: null } }, ann)).toMatchObject({ post: { title: 'New', about: null } })
    expect(await ask(UPDATE, { id, input: { title: null } }, ann)).toMatchObject({
      __typename: 'ValidationError',
      field: 'title',
    })
    expect(await ask(UPDATE, { id, input: { content: null } }, ann)).toMatchObject({
      __typename: 'ValidationError',
      field: 'content',
    })
  })

  test('of others: FORBIDDEN when it is published, unknown when it is a draft, for moderators as well', async () => {
    const [published, draft] = [await aPost(), await aPost({})]
    for (const user of [ben, moderator]) {
      expect(codeOf(await social.ask(UPDATE, { id: published, input: {} }, user?.caller))).toBe('FORBIDDEN')
      expect(codeOf(await social.ask(act('publishPost'), { id: published }, user?.caller))).toBe('FORBIDDEN')
      for (const text of [act('publishPost'), act('deletePost')]) {
        expect(await ask(text, { id: draft }, user)).toEqual({ __typename: 'NotFoundError' })
      }
      expect(await ask(UPDATE, { id: draft, input: {} }, user)).toMatchObject({ __typename: 'NotFoundError' })
      expect(await ask(COMMENT, { id: draft, content: 'C' }, user)).toMatchObject({ __typename: 'NotFoundError' })
    }
    expect(codeOf(await social.ask(act('deletePost'), { id: published }, ben?.caller))).toBe('FORBIDDEN')
    expect(await ask(act('deletePost'), { id: published }, moderator)).toEqual({ __typename: 'DeletePostSuccess' })
    expect(await ask(POST, { id: published }, ann)).toBeNull()
  })

  test.each(['nonsense', '', '\0', encodeId('Post', '999999'), encodeId('User', '1')])('%j is not found', async (id) => {
    expect(await ask(POST, { id }, ann)).toBeNull()
    for (const text of [act('publishPost'), act('deletePost'), act('deleteComment')]) {
      expect(await ask(text, { id }, ann)).toEqual({ __typename: 'NotFoundError' })
    }
  })
})

describe('lists', () => {
  test('of a user have drafts for the user only, newest first', async () => {
    const user = await social.aUser()
    await aPost({ title: 'First', published: true }, user)
    const draft = await aPost({ title: 'Draft' }, user)
    await aPost({ title: 'Last', published: true }, user)
    const query = 'query ($id: ID!, $limit: Int) { r: user(id: $id) { posts(limit: $limit) { title } } }'
    const read = async (reader?: TestUser, limit?: number) =>
      (await ask(query, { id: user.id, limit }, reader)).posts.map(({ title }: Data) => title)
    expect(await read(user)).toEqual(['Last', 'Draft', 'First'])
    expect(await read(user, 1)).toEqual(['Last'])
    for (const reader of [undefined, ben, moderator]) expect(await read(reader)).toEqual(['Last', 'First'])
    await ask(act('publishPost'), { id: draft }, user)
    expect(await read()).toEqual(['Draft', 'Last', 'First'])
    for (const limit of [0, 101, -1]) expect(codeOf(await social.ask(query, { id: user.id, limit }))).toBe('BAD_USER_INPUT')
  })

  test('the feed is stable while others publish', async () => {
    const user = await social.aUser()
    for (const title of ['1', '2', '3', '4', '5']) await aPost({ title, published: true }, user)
    await aPost({ title: 'draft' }, user)
    const FEED = `query ($after: String, $author: ID) { r: feed(first: 2, after: $after, authorId: $author) {
      totalCount pageInfo { hasNextPage hasPreviousPage endCursor } edges { node { title } } } }`
    const seen: string[] = []
    let after: string | null = null
    for (let more = true; more; ) {
      const page = await ask(FEED, { after, author: user.id })
      expect(page.pageInfo.hasPreviousPage).toBe(after !== null)
      seen.push(...titles(page))
      ;({ endCursor: after, hasNextPage: more } = page.pageInfo)
      await aPost({ title: 'later', published: true }, user)
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1'])
    expect(titles(await ask(FEED, { author: encodeId('User', '999999') }))).toEqual([])
    expect(codeOf(await social.ask(FEED, { author: 'nonsense' }))).toBe('BAD_USER_INPUT')
    expect(
      codeOf(await social.ask(FEED, { after: Buffer.from('["about","2026-01-01T00:00:00.000Z","1"]').toString('base64url') })),
    ).toBe('BAD_USER_INPUT')
    expect(titles(await ask(FEED))).toHaveLength(2)
  })

  test('posts about an item are found by its id, published ones only', async () => {
    for (const title of ['1', '2', '3']) await aPost({ title, published: true, aboutId: 'some-item' })
    await aPost({ title: 'draft', aboutId: 'some-item' })
    const query = `query ($after: String) { _entities(representations: [{ __typename: "DirectoryItem", id: "some-item" }, { __typename: "DirectoryItem", id: "other" }]) {
      ... on DirectoryItem { posts(first: 2, after: $after) { totalCount pageInfo { endCursor hasNextPage } edges { node { title } } } } } }`
    const page = async (after?: string) =>
      ((await social.ask(query, { after })).data as Data)._entities.map(({ posts }: Data) => posts)
    const [some, other] = await page()
    expect([titles(some), some.totalCount, titles(other), other.totalCount]).toEqual([['3', '2'], 3, [], 0])
    const [rest] = await page(some.pageInfo.endCursor)
    expect([titles(rest), rest.pageInfo.hasNextPage]).toEqual([['1'], false])
  })
})

describe('comments', () => {
  test('are read oldest first: the newest 100, and all page by page', async () => {
    const id = await aPost()
    const row = Buffer.from(id, 'base64url').toString().split(':')[1]
    await social.sql(
      `INSERT INTO comment (post_id, author_id, content) SELECT $1, $2, n::text FROM generate_series(1, 120) AS n`,
      [row, ann?.row],
    )
    const query = `query ($id: ID!, $after: String) { r: post(id: $id) { comments { content }
      commentPage(first: 50, after: $after) { totalCount pageInfo { endCursor hasNextPage } edges { node { content } } } } }`
    const seen: number[] = []
    let after: string | null = null
    for (let more = true; more; ) {
      const { comments, commentPage }: Data = await ask(query, { id, after })
      expect([comments.length, comments[0].content, comments[99].content, commentPage.totalCount]).toEqual([
        100,
        '21',
        '120',
        120,
      ])
      seen.push(...commentPage.edges.map(({ node }: Data) => Number(node.content)))
      ;({ endCursor: after, hasNextPage: more } = commentPage.pageInfo)
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
  })

  test('are written by every signed-in user, and deleted by their author, the author of the post and administrators', async () => {
    const id = await aPost()
    const comment = async (user?: TestUser) => (await ask(COMMENT, { id, content: 'C' }, user)).comment
    expect(await comment(ben)).toMatchObject({ content: 'C', author: { name: 'Ben' }, post: { id } })
    for (const user of [ben, ann, moderator]) {
      const { id: written } = await comment(ben)
      expect(await ask(act('deleteComment'), { id: written }, user)).toEqual({ __typename: 'DeleteCommentSuccess' })
      expect(await ask(act('deleteComment'), { id: written }, user)).toEqual({ __typename: 'NotFoundError' })
    }
    const stranger = await social.aUser()
    expect(codeOf(await social.ask(act('deleteComment'), { id: (await comment(ben)).id }, stranger.caller))).toBe('FORBIDDEN')
  })

  test.each([[''], [' \n'], ['x'.repeat(10_001)], ['\0'], ['\uD800']])('without proper text are refused', async (content) => {
    expect(await ask(COMMENT, { id: await aPost(), content }, ben)).toMatchObject({
      __typename: 'ValidationError',
      field: 'content',
    })
  })

  test('on a post that is deleted at the same time are written or not, and never fail', async () => {
    const id = await aPost()
    // Not the post of the comment: it is looked for when the comment is written, and may be gone by
    // then.
    const comment = 'mutation ($id: ID!) { r: addComment(postId: $id, content: "C") { __typename } }'
    const answers = await Promise.all([
      ask(act('deletePost'), { id }, ann),
      ...Array.from({ length: 10 }, () => ask(comment, { id }, ben)),
    ])
    for (const { __typename } of answers.slice(1)) expect(['AddCommentSuccess', 'NotFoundError']).toContain(__typename)
  })
})

test('nested lists take the same number of statements, whatever their size', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query')
  // The outbox is polled meanwhile, every five seconds.
  const isOfOutbox = ([statement]: readonly unknown[]) =>
    /\bevent(?:_\w+)?\b/.test(String(Reflect.get(Object(statement), 'text') ?? statement))
  const count = () => statements.mock.calls.filter((call) => !isOfOutbox(call)).length
  const own = await startSocial()
  try {
    const grow = async (users: number, each: number) => {
      for (let count = 0; count < users; count += 1) {
        const { row } = await own.aUser()
        await own.sql(
          `WITH written AS (
             INSERT INTO post (author_id, title, content, published_at) SELECT $1, 'T', 'C', now() FROM generate_series(1, $2) RETURNING id
           )
           INSERT INTO comment (post_id, author_id, content) SELECT written.id, "user".id, 'C' FROM written, (SELECT id FROM "user" LIMIT $2) AS "user"`,
          [row, each],
        )
      }
    }
    const cost = async () => {
      const before = count()
      const { data }: Data = await own.ask('{ users(limit: 50) { posts { comments { author { name } } } } }')
      const comments = data.users.flatMap(({ posts }: Data) => posts.flatMap((post: Data) => post.comments))
      return { comments: comments.length, statements: count() - before }
    }
    await grow(2, 1)
    const small = await cost()
    await grow(48, 6)
    const large = await cost()
    expect(small.comments).toBe(2)
    expect(large.comments).toBeGreaterThan(1_500)
    expect(large.statements).toBe(small.statements)
    // Users, posts, comments and authors.
    expect(small.statements).toBe(4)
  } finally {
    statements.mockRestore()
    await own.close()
  }
})

describe('likes', () => {
  const CHANGE = (name: 'likePost' | 'unlikePost') => `mutation ($id: ID!) { r: ${name}(id: $id) { __typename
    ... on ${name === 'likePost' ? 'LikePostSuccess' : 'UnlikePostSuccess'} { post { likeCount viewerHasLiked } } } }`
  const [LIKE, UNLIKE] = [CHANGE('likePost'), CHANGE('unlikePost')]
  const likesOf = (id: string, user?: TestUser) =>
    ask('query ($id: ID!) { r: post(id: $id) { likeCount viewerHasLiked } }', { id }, user)

  test('are counted once for each user, and each reader sees whether it is theirs', async () => {
    const id = await aPost()
    for (const _ of ['first', 'again'])
      expect(await ask(LIKE, { id }, ben)).toEqual({
        __typename: 'LikePostSuccess',
        post: { likeCount: 1, viewerHasLiked: true },
      })
    expect((await ask(LIKE, { id }, ann)).post.likeCount).toBe(2)
    expect(await likesOf(id)).toEqual({ likeCount: 2, viewerHasLiked: false })
    expect(await likesOf(id, moderator)).toEqual({ likeCount: 2, viewerHasLiked: false })
    for (const _ of ['first', 'again'])
      expect((await ask(UNLIKE, { id }, ben)).post).toEqual({ likeCount: 1, viewerHasLiked: false })
    expect(await likesOf(id, ann)).toEqual({ likeCount: 1, viewerHasLiked: true })
  })

  test('of many users at once are all counted', async () => {
    const id = await aPost()
    const users = await Promise.all(Array.from({ length: 8 }, () => social.aUser()))
    await Promise.all(users.map((user) => ask(LIKE, { id }, user)))
    expect((await likesOf(id)).likeCount).toBe(8)
  })

  test('need a published post: a draft has none, also of its author', async () => {
    const draft = await aPost({ published: false })
    for (const id of [draft, 'nonsense', '\0', encodeId('Post', '999999')])
      for (const text of [LIKE, UNLIKE]) expect(await ask(text, { id }, ann)).toEqual({ __typename: 'NotFoundError' })
  })

  test('of a user who is deleted are taken back, and their comments are not counted either', async () => {
    const [id, leaver] = [await aPost(), await social.aUser()]
    await ask(LIKE, { id }, leaver)
    await ask(LIKE, { id }, ben)
    await ask(COMMENT, { id, content: 'C' }, leaver)
    await ask(COMMENT, { id, content: 'C' }, ben)
    await social.sql('DELETE FROM "user" WHERE id = $1', [leaver.row])
    const row = Buffer.from(id, 'base64url').toString().split(':')[1]
    expect(await social.sql('SELECT like_count, comment_count FROM post WHERE id = $1', [row])).toEqual([
      { like_count: 1, comment_count: 1 },
    ])
  })

  test('comments from before there was a count are added to it, while people go on commenting', async () => {
    const [quiet, busy, counted] = [await aPost(), await aPost(), await aPost()]
    const rowOf = (id: string) => Buffer.from(id, 'base64url').toString().split(':')[1]
    for (const id of [quiet, busy, busy, counted]) await ask(COMMENT, { id, content: 'C' }, ben)
    const uncounted = [rowOf(quiet), rowOf(busy)]
    await social.sql('UPDATE post SET comment_count = 0 WHERE id = ANY ($1)', [uncounted])
    const folder = join(import.meta.dirname, '../../../prisma/social/migrations/20261204050020_post_comment_counts')
    const text = readFileSync(join(folder, 'migration.sql'), 'utf8')
    // A comment that is written, and counted, but whose transaction goes on while the migration reads.
    const comment = 'INSERT INTO comment (post_id, author_id, content) VALUES ($1, $2, $3)'
    const commenter = await held(social.database, comment, [rowOf(busy), ann?.row, 'C'])
    const migrating = held(social.database, text)
    await commenter.isWaitedFor()
    await commenter.release()
    const migration = await migrating
    // Not refused, and not waited for.
    await ask(COMMENT, { id: counted, content: 'C' }, ben)
    await migration.release()
    const rows = await social.sql('SELECT comment_count FROM post WHERE id = ANY ($1) ORDER BY id', [
      [...uncounted, rowOf(counted)],
    ])
    expect(rows.map((row) => row.comment_count)).toEqual([1, 3, 2])
  })

  test('and comments order the list of posts, page by page; a cursor of another order is refused', async () => {
    const author = await social.aUser()
    const posts: string[] = []
    for (const title of ['two likes', 'none', 'one like', 'one like, later'])
      posts.push(await aPost({ title, published: true }, author))
    const like = async (index: number, users: (TestUser | undefined)[]) => {
      for (const user of users) await ask(LIKE, { id: posts[index] }, user)
    }
    await like(0, [ann, ben])
    await like(2, [ann])
    await like(3, [ben])
    await ask(COMMENT, { id: posts[1], content: 'C' }, ben)
    const LIST = `query ($author: ID!, $order: PostOrder, $after: String) {
      r: feed(first: 2, authorId: $author, orderBy: $order, after: $after) { totalCount pageInfo { endCursor } edges { node { title } } } }`
    const list = (order: string, after: string | null = null) => ask(LIST, { author: author.id, order, after })
    const first = await list('BY_LIKES')
    expect(titles(first)).toEqual(['two likes', 'one like, later'])
    expect(titles(await list('BY_LIKES', first.pageInfo.endCursor))).toEqual(['one like', 'none'])
    const commented = await list('BY_COMMENTS')
    expect(titles(commented)).toEqual(['none', 'one like, later'])
    expect(titles(await list('BY_COMMENTS', commented.pageInfo.endCursor))).toEqual(['one like', 'two likes'])
    expect(titles(await list('NEWEST'))).toEqual(['one like, later', 'one like'])
    for (const order of ['NEWEST', 'BY_COMMENTS']) {
      const variables = { author: author.id, order, after: first.pageInfo.endCursor }
      expect(codeOf(await social.ask(LIST, variables))).toBe('BAD_USER_INPUT')
    }
  })

  test('beyond the quota of writes are refused; one that is there costs nothing', async () => {
    const id = await aPost()
    const eager = await social.aUser()
    await ask(LIKE, { id }, eager)
    await social.sql('UPDATE write_quota SET writes_left = 0, counted_at = clock_timestamp() WHERE author_id = $1', [eager.row])
    expect(await ask(LIKE, { id }, eager)).toMatchObject({ __typename: 'LikePostSuccess' })
    expect(await ask(LIKE, { id: await aPost() }, eager)).toEqual({ __typename: 'QuotaExceededError' })
  })
})
