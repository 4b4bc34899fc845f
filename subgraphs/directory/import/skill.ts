import { createHash } from 'node:crypto'
import { categoryOf } from './category.ts'
import type { Reader } from './contribution.ts'
import { licensed } from './license.ts'
import { fileUrl, folderOf, folderUrl, identityOfOrigin } from './link.ts'
import { asList, asRecord } from './shape.ts'
import { cleanTags, cleanText, slugOf } from './text.ts'
import { cleanUrl } from './url.ts'

/**
 * SKILL.md: frontmatter with name and description of the skill, then instructions, which are not
 * stored.
 */
export const skillReader: Reader = {
  format: 'skill',
  // Agents and commands have the same frontmatter; the file name distinguishes them.
  recognises: (content, { path }) => /(^|\/)skill\.md$/i.test(path) && (content === null || asRecord(content) !== null),
  read: (content, { origin, path, text }) => {
    const frontmatter = asRecord(content) ?? {}
    const metadata = asRecord(frontmatter.metadata) ?? {}
    const folder = folderOf(path)
    const folderName = folder.split('/').at(-1) || (origin.split('/').at(-1) ?? '')
    const heading = cleanText(/^#[ \t]+(.+)$/m.exec(text)?.[1], 200)
    const named = cleanText(frontmatter.name ?? frontmatter.Name, 200)
    const slug =
      slugOf(named ?? '') || slugOf(folderName) || slugOf(heading ?? '') || unspelledSlug(named ?? heading ?? folderName)

    const repoUrl = folderUrl(origin, folder) ?? cleanUrl(metadata.repository) ?? cleanUrl(frontmatter.repository)
    const docsUrl = fileUrl(origin, path) ?? cleanUrl(metadata.homepage) ?? cleanUrl(frontmatter.homepage) ?? repoUrl
    const skipped = (reason: string) => ({ contributions: [], skipped: [{ origin, path, line: null, reason }] })
    if (slug === '') return skipped('has no name with letters or digits')
    if (docsUrl === null)
      return skipped('has no address: it lies in no known repository (a clone, or a folder named owner+repository)')
    return {
      skipped: [],
      contributions: [
        {
          origin,
          path,
          locator: '',
          format: 'skill',
          statement: {
            kind: 'SKILL',
            identity: skillIdentity(origin, folder),
            key: slug,
            slug,
            name: named ?? heading ?? folderName,
            description: cleanText(frontmatter.description, 2_000),
            category:
              cleanText(
                metadata.category ?? frontmatter.category ?? frontmatter.Category ?? frontmatter.domain ?? metadata.domain,
                100,
              ) ?? categoryFolder(folder),
            tags: cleanTags([frontmatter.tags, metadata.tags, frontmatter.keywords, metadata.keywords].flatMap(words)),
            stars: null,
            ...licensed(frontmatter.license),
            // The merge, which has the marketplaces, decides whether a plugin contains it.
            source: 'COMMUNITY',
            docsUrl,
            repoUrl: repoUrl ?? docsUrl,
          },
        },
      ],
    }
  },
}

/** Identity of the skill in every source: its folder in its repository. */
export const skillIdentity = (origin: string, folder: string): string =>
  `${identityOfOrigin(origin)}${folder === '' ? '' : `#${folder.toLowerCase()}`}`

/**
 * Slug of a name in letters that URLs do not spell, such as Chinese: made from the name, so that it
 * stays over imports. Empty for a name without letters.
 */
const unspelledSlug = (name: string): string =>
  /\p{L}/u.test(name) ? `skill-${createHash('sha256').update(name.normalize('NFC')).digest('hex').slice(0, 10)}` : ''

const words = (value: unknown): readonly unknown[] => (typeof value === 'string' ? value.split(',') : asList(value))

/**
 * Many repositories sort their skills into folders; the nearest one above the skill's own whose
 * name is a category counts.
 */
function categoryFolder(folder: string): string | null {
  const above = folder.split('/').slice(0, -1).reverse()
  return above.find((name) => categoryOf(name) !== null) ?? null
}
