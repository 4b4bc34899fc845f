import { PluginPageDocument } from '#generated/operations.ts'
import { html } from '../../frame/html.ts'
import { externalLink, shortAddress } from '../../frame/link.ts'
import { dataOf, foundIn, page } from '../../frame/page.ts'
import { itemPage } from '../item-page.ts'

export const pluginPages = [
  page({
    on: '/plugins/{marketplace}/{slug}',
    operations: [PluginPageDocument],
    async answer({ path: { marketplace, slug }, run, site, reader }) {
      const answer = await run(PluginPageDocument, { marketplace, slug })
      const plugin = foundIn(dataOf(answer).plugin, answer)
      if (plugin === null) return null
      const search = site.at(`/search?kind=plugin&q=${encodeURIComponent(plugin.marketplaceSlug)}`)
      return itemPage(
        plugin,
        {
          key: `${plugin.marketplaceSlug}/${plugin.slug}`,
          owner: plugin.slug,
          trust: plugin.trust,
          install: { heading: 'Install', text: plugin.installCommand },
          facts: [
            { name: 'Made for', value: plugin.ecosystems.join(', ') },
            { name: 'Marketplace', value: html`<a href="${search}">${plugin.marketplaceSlug}</a>` },
            { name: 'Source', value: externalLink(plugin.sourceUrl, shortAddress(plugin.sourceUrl)) },
          ],
          sourceUrl: plugin.sourceUrl,
          docsUrl: plugin.sourceUrl,
        },
        { site, reader },
      )
    },
  }),
]
