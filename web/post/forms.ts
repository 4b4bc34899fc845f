import {
  AddCommentDocument,
  CreatePostDocument,
  DeleteCommentDocument,
  DeletePostDocument,
  LikePostDocument,
  PublishPostDocument,
  UnlikePostDocument,
  UpdatePostDocument,
} from '#generated/operations.ts'
import { userForm } from '../account/page.ts'
import { toChanged } from '../frame/change.ts'
import { dataOf } from '../frame/page.ts'
import { POSTS, post, posts } from './pages.ts'

/** Forms send line breaks as CR LF; texts are stored with LF, as programs send them. */
const textOfForm = (text: string): string => text.replaceAll('\r\n', '\n')

const pathOfPost = (id: string): string => `${POSTS}/${encodeURIComponent(id)}`

export const postForms = [
  userForm({
    path: POSTS,
    on: posts,
    operations: [CreatePostDocument],
    async submit({ field, run }) {
      const published = field('published') !== 'no'
      const input = {
        title: field('title'),
        content: textOfForm(field('content')),
        published,
        aboutId: field('aboutId') || null,
      }
      const { result } = dataOf(await run(CreatePostDocument, { input }))
      const at = result.__typename === 'CreatePostSuccess' ? pathOfPost(result.post.id) : POSTS
      return toChanged(result, { at, notice: published ? 'published' : 'saved' })
    },
  }),
  userForm({
    path: `${POSTS}/{id}/edit`,
    on: post,
    operations: [UpdatePostDocument],
    async submit({ path: { id }, field, run }) {
      const input = { title: field('title'), content: textOfForm(field('text')) }
      const { result } = dataOf(await run(UpdatePostDocument, { id, input }))
      return toChanged(result, { at: pathOfPost(id), notice: 'changed' })
    },
  }),
  userForm({
    path: `${POSTS}/{id}/publish`,
    on: post,
    operations: [PublishPostDocument],
    async submit({ path: { id }, run }) {
      const { result } = dataOf(await run(PublishPostDocument, { id }))
      return toChanged(result, { at: pathOfPost(id), notice: 'published' })
    },
  }),
  userForm({
    path: `${POSTS}/{id}/delete`,
    on: post,
    operations: [DeletePostDocument],
    async submit({ path: { id }, run }) {
      const { result } = dataOf(await run(DeletePostDocument, { id }))
      return toChanged(result, { at: POSTS, notice: 'deleted' })
    },
  }),
  userForm({
    path: `${POSTS}/{id}/like`,
    on: post,
    operations: [LikePostDocument],
    async submit({ path: { id }, run }) {
      const { result } = dataOf(await run(LikePostDocument, { id }))
      return toChanged(result, { at: pathOfPost(id), notice: 'liked' })
    },
  }),
  userForm({
    path: `${POSTS}/{id}/unlike`,
    on: post,
    operations: [UnlikePostDocument],
    async submit({ path: { id }, run }) {
      const { result } = dataOf(await run(UnlikePostDocument, { id }))
      return toChanged(result, { at: pathOfPost(id), notice: 'unliked' })
    },
  }),
  userForm({
    path: `${POSTS}/{id}/comments`,
    on: post,
    operations: [AddCommentDocument],
    async submit({ path: { id }, field, run }) {
      const { result } = dataOf(await run(AddCommentDocument, { postId: id, content: textOfForm(field('content')) }))
      return toChanged(result, { at: pathOfPost(id), notice: 'commented' })
    },
  }),
  userForm({
    path: `${POSTS}/{id}/comments/delete`,
    on: post,
    operations: [DeleteCommentDocument],
    async submit({ path: { id }, field, run }) {
      const { result } = dataOf(await run(DeleteCommentDocument, { id: field('comment') }))
      return toChanged(result, { at: pathOfPost(id), notice: 'uncommented' })
    },
  }),
]
