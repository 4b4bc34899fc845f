import { loaderByKey } from '../../runtime/loader.ts'
import type { CommentRepository } from './repository.ts'

export const commentLoaders = (comments: CommentRepository) => ({
  commentById: loaderByKey(comments.findByIds, ({ id }) => id),
})
