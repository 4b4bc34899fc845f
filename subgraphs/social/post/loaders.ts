import { loaderByKey } from '../../runtime/loader.ts'
import type { PostRepository } from './repository.ts'

export const postLoaders = (posts: PostRepository) => ({
  postById: loaderByKey(posts.findByIds, ({ id }) => id),
})
