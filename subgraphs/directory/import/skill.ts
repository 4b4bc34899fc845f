import { categoryOf } from './category.ts'
import type { Reader } from './contribution.ts'
import { fileUrl, folderOf, folderUrl, identityOfOrigin } from './link.ts'
import { asList, asRecord } from './shape.ts'
import { cleanTags, cleanText, slugOf } from './text.ts'
import { cleanUrl } from './url.ts'

/**
 * SKILL.md: frontmatter that names and describes the skill, then instructions, which are not kept.
 */
export const skillReader: Reader = {
  format: 'skill',
  // Agents and commands have the same frontmatter; the format itself tells them apart by this name.
  recognises: (content, { path }) => /(^|\/)skill\.md$/i.test(path) && (content === null || asRecord(content) !== null),
  read: (content, { origin, path, text }) => {
    const frontmatter = asRecord(content) ?? {}
    const metadata = asRecord(frontmatter.metadata) ?? {}
    const folder = folderOf(path)
    const folderName = folder.split('/').at(-1) || (origin.split('/').at(-1) ?? '')
    const heading = cleanText(/^#[ \t]+(.+)$/m.exec(text)?.[1], 200)
    const named = cleanText(frontmatter.name ?? frontmatter.Name, 200)
    const slug = slugOf(named ?? '') || slugOf(folderName) || slugOf(heading ?? '')

    const repoUrl = folderUrl(origin, folder) ?? cleanUrl(metadata.repository) ?? cleanUrl(frontmatter.repository)
    const docsUrl = fileUrl(origin, path) ?? cleanUrl(metadata.homepage) ?? cleanUrl(frontmatter.homepage) ?? repoUrl
    const skipped = (reason: string) => ({ contributions: [], skipped: [{ origin, path, line: null, reason }] })
    if (slug === '') return skipped('has no name with letters a to z or digits')
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
            // Whether a plugin brings it is seen by the merge, which knows the marketplaces.
            source: 'COMMUNITY',
            docsUrl,
            repoUrl: repoUrl ?? docsUrl,
          },
        },
      ],
    }
  },
}

/** Names the same skill, whoever lists it: its folder in its repository. */
export const skillIdentity = (origin: string, folder: string): string =>
  `${identityOfOrigin(origin)}${folder === '' ? '' : `#${folder.toLowerCase()}`}`

const words = (value: unknown): readonly unknown[] => (typeof value === 'string' ? value.split(',') : asList(value))

/**
 * Many repositories sort their skills into folders; the nearest one above the skill's own whose
 * name is a category counts.
 */
function categoryFolder(folder: string): string | null {
  const above = folder.split('/').slice(0, -1).reverse()
  return above.find((name) => categoryOf(name) !== null) ?? null
}
