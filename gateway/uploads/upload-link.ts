import type { ExecutionResult } from 'graphql'
import type { Link } from '../subgraph-client/link.ts'
import { filesIn } from './file-upload.ts'
import { UploadError } from './upload-error.ts'

/** A link whose fetches take files of the request. Fetches of other requests pass as they are. */
export function uploadLink(link: Link): Link {
  const { cacheEntities } = link
  const execute: Link['execute'] = (request, context) => {
    const { uploads } = context
    if (!uploads) return link.execute(request, context)
    const files = filesIn(request.variables).map(({ file }) => file)
    return uploads.run(files, () => link.execute(request, context)).catch(resultOf)
  }
  if (!cacheEntities) return { ...link, execute }
  return {
    ...link,
    execute,
    cacheEntities: (fetch, send) => {
      const cached = cacheEntities(fetch, send)
      // Its keys are JSON, in which all files are null.
      return (variables, context) => (context.uploads ? send(variables, context) : cached(variables, context))
    },
  }
}

function resultOf(error: unknown): ExecutionResult {
  if (error instanceof UploadError) return { data: null, errors: [error.toGraphQL()] }
  throw error
}
