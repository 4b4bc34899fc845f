import {
  BadgeOfMcpServerDocument,
  BadgeOfPluginDocument,
  BadgeOfSkillDocument,
  type ItemBadgeFragment,
} from '#generated/operations.ts'
import type { ClientResult } from '../../gateway/client.ts'
import type { FileRow } from '../frame/file.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { itemBadge, missingBadge } from './badge.ts'

const SVG = 'image/svg+xml; charset=utf-8'

/** Badges of items, for their READMEs: at `/badge` in front of the path of the page, `.svg` behind it. */
export const badgeFiles: readonly FileRow[] = [
  {
    path: '/badge/mcp/{owner}/{file}',
    contentType: SVG,
    operations: [BadgeOfMcpServerDocument],
    missing: missingBadge,
    text: ({ path: { owner = '', file = '' }, run }) => badgeOf(file, (repo) => run(BadgeOfMcpServerDocument, { owner, repo })),
  },
  {
    path: '/badge/plugins/{marketplace}/{file}',
    contentType: SVG,
    operations: [BadgeOfPluginDocument],
    missing: missingBadge,
    text: ({ path: { marketplace = '', file = '' }, run }) =>
      badgeOf(file, (slug) => run(BadgeOfPluginDocument, { marketplace, slug })),
  },
  {
    path: '/badge/skills/{file}',
    contentType: SVG,
    operations: [BadgeOfSkillDocument],
    missing: missingBadge,
    text: ({ path: { file = '' }, run }) => badgeOf(file, (slug) => run(BadgeOfSkillDocument, { slug })),
  },
]

type Found = ClientResult<{ readonly item?: ItemBadgeFragment | null | undefined }>

/** The badge of the item that a file is named after; null for another file and for no item. */
async function badgeOf(file: string, read: (name: string) => Promise<Found>): Promise<string | null> {
  if (!file.endsWith(ENDING)) return null
  const answer = await read(file.slice(0, -ENDING.length))
  const item = foundIn(dataOf(answer).item, answer)
  return item && itemBadge(item, new Date())
}

const ENDING = '.svg'
