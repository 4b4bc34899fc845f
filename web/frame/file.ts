import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { RunPageOperation } from './page.ts'
import type { Site } from './site.ts'

/** A document of the site that programs read. */
export type FileRow = {
  readonly path: string
  readonly contentType: string
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  /** The text; null for what does not exist. */
  readonly text: (request: {
    readonly path: Readonly<Record<string, string>>
    readonly run: RunPageOperation
    readonly site: Site
  }) => Promise<string | null> | string
  /** What clients get in its place, of the same type, with status 404; absent: the page of the site. */
  readonly missing?: () => string
}

export const XML = 'application/xml; charset=utf-8'

/** What every XML document begins with. */
export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
