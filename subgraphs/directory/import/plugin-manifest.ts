import type { Reader } from './contribution.ts'
import { parseEcosystemPath } from './ecosystem.ts'
import { licensed } from './license.ts'
import { folderUrl } from './link.ts'
import { pluginIdentity } from './marketplace.ts'
import { asList, asRecord } from './shape.ts'
import { cleanTags, cleanText, slugOf } from './text.ts'
import { cleanUrl } from './url.ts'

/**
 * plugin.json: the manifest of a plugin. It does not name its marketplace: the merge adds its
 * fields to the plugin of a marketplace of the same repository in the same folder, and uses it
 * alone only where no marketplace exists.
 */
export const pluginManifestReader: Reader = {
  format: 'plugin-manifest',
  recognises: (content, { path }) => /(^|\/)plugin\.json$/.test(path) && typeof asRecord(content)?.name === 'string',
  read: (content, { origin, path }) => {
    const manifest = asRecord(content)
    const place = parseEcosystemPath(path)
    const skipped = (reason: string) => ({ contributions: [], skipped: [{ origin, path, line: null, reason }] })
    if (!manifest || 'unknown' in place) return skipped('belongs to an ecosystem that is not known here')
    const id = cleanText(manifest.name, 200)
    const slug = slugOf(id ?? '')
    if (slug === '') return skipped('needs a `name` with letters or digits')
    const repository = slugOf(origin.split('/').at(-1) ?? '')
    return {
      skipped: [],
      contributions: [
        {
          origin,
          path,
          locator: '',
          format: 'plugin-manifest',
          statement: {
            kind: 'PLUGIN',
            identity: pluginIdentity(origin, repository, slug),
            key: `${repository}/${slug}`,
            marketplaceSlug: repository,
            slug,
            name: cleanText(manifest.displayName, 200) ?? id,
            description: cleanText(manifest.description, 2_000),
            category: cleanText(manifest.category, 100),
            tags: cleanTags([...asList(manifest.keywords), ...asList(manifest.tags)]),
            stars: null,
            ...licensed(manifest.license),
            ecosystem: place.ecosystem,
            installCommand: null,
            sourceUrl: folderUrl(origin, place.base) ?? cleanUrl(manifest.repository) ?? cleanUrl(manifest.homepage),
            folder: place.base,
          },
        },
      ],
    }
  },
}
