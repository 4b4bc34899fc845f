import {
  CreateJsAppDocument,
  DeleteJsAppDocument,
  ListJsAppsByAppDocument,
  ListJsAppsDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

// As the published API says it: it has 404 where others have an empty list.
const NONE_OF_STORE = "This store doesn't have any JsApps"
const NONE_OF_APP = "This app doesn't have any JsApps"

export const scriptTagRoutes = [
  route({
    run: ListJsAppsDocument,
    answer: 'scriptTags.nodes',
    absence: ({ scriptTags: { nodes }, storeAccess: { appCode } }) =>
      nodes.length > 0 ? null : appCode === null ? NONE_OF_STORE : NONE_OF_APP,
  }),
  route({
    run: ListJsAppsByAppDocument,
    answer: 'scriptTags.nodes',
    absence: ({ scriptTags: { nodes } }) => (nodes.length > 0 ? null : NONE_OF_APP),
  }),
  route({ run: CreateJsAppDocument, answer: 'result.scriptTag' }),
  route({ run: DeleteJsAppDocument }),
]
