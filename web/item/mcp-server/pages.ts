import { McpServerPageDocument, type McpServerPageQuery } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import { type Html, html } from '../../frame/html.ts'
import { externalLink, shortAddress } from '../../frame/link.ts'
import { dataOf, foundIn, page } from '../../frame/page.ts'
import { itemPage } from '../item-page.ts'
import { featuresSection } from './features.ts'
import { packagesSection } from './packages.ts'

type McpServer = NonNullable<McpServerPageQuery['mcpServer']>

export const mcpServerPages = [
  page({
    on: '/mcp/{owner}/{repo}',
    operations: [McpServerPageDocument],
    async answer({ path: { owner, repo }, run, site, reader }) {
      const answer = await run(McpServerPageDocument, { owner, repo })
      const server = foundIn(dataOf(answer).mcpServer, answer)
      if (server === null) return null
      return itemPage(
        server,
        {
          key: `${server.owner}/${server.repo}`,
          owner: server.owner,
          trust: server.trust,
          install: { heading: 'Install', text: server.installCommand },
          marks: html`${server.official && html`<span class="mark-official">official</span>`} ${server.deprecated && html`<span class="mark-deprecated">deprecated</span>`}`,
          more: html`${others(server)}${server.features && featuresSection(server.features)}${packagesSection(server.publishedPackages)}${server.envVars.length > 0 && variables(server.envVars)}`,
          facts: [
            { name: 'Transport', value: TRANSPORTS[server.transport] ?? server.transport },
            { name: 'Documentation', value: externalLink(server.docsUrl, shortAddress(server.docsUrl)) },
            {
              name: 'Source',
              value: server.repoUrl === null ? 'not published' : externalLink(server.repoUrl, shortAddress(server.repoUrl)),
            },
          ],
          sourceUrl: server.repoUrl,
          docsUrl: server.docsUrl,
        },
        { site, reader },
      )
    },
  }),
]

const TRANSPORTS: LookupTable<string> = lookupTable({
  stdio: 'stdio: runs on your machine',
  'streamable-http': 'streamable HTTP: runs remotely or on your own server',
  sse: 'server-sent events: the older HTTP transport',
  unknown: 'unknown',
})

/** The commands besides the recommended one; nothing where there is no other. */
const others = ({ installations }: McpServer): Html | false =>
  installations.length > 1 &&
  html`<details><summary>Other installations (${installations.length - 1})</summary>
${installations.slice(1).map(({ command, transport }) => html`<pre tabindex="0"><code>${command}</code></pre><p class="quiet">${TRANSPORTS[transport] ?? transport}</p>`)}
</details>`

const variables = (
  rows: McpServer['envVars'],
): Html => html`<section aria-labelledby="variables"><h2 id="variables">Environment variables</h2>
<dl class="variables">
${rows.map(
  ({ name, required, secret, description }) =>
    html`<dt><code>${name}</code> <span class="quiet">${required ? 'required' : 'optional'}${secret && ', secret: keep it out of shared files'}</span></dt><dd>${description}</dd>`,
)}
</dl></section>`
