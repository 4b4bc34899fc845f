import { HomePageDocument, type HomePageQuery } from '#generated/operations.ts'
import { avatar } from '../frame/avatar.ts'
import { chip } from '../frame/chip.ts'
import { codeBlock, codeTabs } from '../frame/code.ts'
import { colored } from '../frame/code-colors.ts'
import { dayOf, momentOf, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { type IconName, icon } from '../frame/icon.ts'
import { dataOf, page } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { cards, shortened } from '../item/card.ts'
import { searchForm } from '../search/form.ts'
import { ACTIONS } from '../trust/labels.ts'
import { SAMPLE_ORDERS } from './events.ts'

export const homePages = [
  page({
    on: '/',
    operations: [HomePageDocument],
    async answer({ run, site }) {
      const data = dataOf(await run(HomePageDocument, {}))
      return {
        title: 'Atrium: one graph for agents and the people who run them',
        description:
          'Find MCP servers, plugins and agent skills with their install commands, check whether a domain can be trusted, and read posts about them. One graph, over GraphQL, REST and MCP.',
        canonical: '/',
        scripts: ['search.js', 'copy.js', 'code-tabs.js', data.storefront?.sampleOrder ? 'live-orders.js' : 'replay.js'],
        structured: [
          {
            '@context': 'https://schema.org',
            '@type': 'WebSite',
            name: 'Atrium',
            url: `${site.publicUrl}/`,
            potentialAction: {
              '@type': 'SearchAction',
              target: `${site.publicUrl}/search?q={query}`,
              'query-input': 'required name=query',
            },
          },
        ],
        body: html`<div class="hero"><div>
<h1>One graph for agents and the people who run them</h1>
<p class="lead">Find tools for agents, decide which sites they may touch, and run shops and communities: one API for all of it.</p>
${searchForm('', { kind: null, category: null }, site)}
<p class="actions"><a class="button" href="${site.at('/docs')}">${icon('book')}Get started</a> <a class="button secondary" href="${site.at('/graphql')}">${icon('graph')}Open the explorer</a></p>
</div>
<div class="panel-stack" data-resting>${request(data, site)}</div>
</div>
<div data-resting>
${figures(data)}
${starts(site)}
${examples(data, site)}
${links(site)}
<div class="halves">
<section aria-labelledby="known"><h2 id="known">Official servers</h2>${cards(data.mcpServers.edges.map(({ node }) => node))}
<p><a href="${site.at('/search?kind=mcp')}">All MCP servers</a></p></section>
<section aria-labelledby="new"><h2 id="new">Newest items</h2>${cards(data.newestItems)}
<p><a href="${site.at('/feed.xml')}">Follow as a feed</a></p></section>
</div>
${posts(data.feed, site)}
</div>`,
      }
    },
  }),
]

function figures({ directoryStats: stats, categories, feed }: HomePageQuery): Html {
  const names = new Set([...categories.mcp, ...categories.plugins, ...categories.skills].map(({ name }) => name))
  const rows = [
    ['MCP servers', whole(stats.tools)],
    ['Plugins', whole(stats.plugins)],
    ['Skills', whole(stats.skills)],
    ['Categories', whole(names.size)],
    ...(feed.totalCount > 0 ? [['Posts', whole(feed.totalCount)]] : []),
    ...(stats.changedAt ? [['Last change', dayOf(stats.changedAt)]] : []),
  ]
  return html`<dl class="figures">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** A first request in three languages, and what it answers now. */
function request({ search }: HomePageQuery, { publicUrl }: Site): Html {
  const address = `${publicUrl}/api/search?q=postgres&limit=1`
  const [found] = search.edges
  const answer = found && {
    items: [
      {
        name: found.node.name,
        url: pathIn(found.node.url),
        ...('installCommand' in found.node && { installCommand: found.node.installCommand }),
      },
    ],
  }
  return html`${codeTabs('request', [
    { id: 'request-sh', language: 'sh', label: 'Request with curl', text: `curl '${address}'\n` },
    {
      id: 'request-ts',
      language: 'ts',
      label: 'Request in TypeScript',
      text: `const response = await fetch(\n  '${address}',\n)\nconsole.log(await response.json())\n`,
    },
    {
      id: 'request-py',
      language: 'py',
      label: 'Request in Python',
      text: `import json, urllib.request\n\nurl = '${address}'\nprint(json.load(urllib.request.urlopen(url)))\n`,
    },
  ])}${answer && codeBlock({ id: 'response', language: 'json', label: 'Part of the response', text: JSON.stringify(answer, null, 2), breaks: true })}`
}

/** One of each: what a search finds now, a decision to ask for, and an order that arrives. */
function examples({ search, storefront }: HomePageQuery, { at, publicUrl }: Site): Html {
  const found = search.edges.map(({ node }) => node)
  const isLive = storefront?.sampleOrder != null
  const subscription = isLive
    ? `sampleOrderUpdated(store: \\"${storefront.code}\\") { status total updatedAt }`
    : 'orderUpdated { number status total }'
  const watch = `curl --no-buffer ${publicUrl}/graphql${isLive ? '' : ' -u "$LOGIN:$AUTHTOKEN"'} \\
  -H 'accept: text/event-stream' -H 'content-type: application/json' \\
  -d '{"query": "subscription { ${subscription} }"}'`
  return html`<div class="examples">
${
  found.length > 0 &&
  html`<section class="example" aria-labelledby="example-search"><h2 id="example-search">${icon('search')} Find a tool</h2>
<p>Agents and people search by relevance. For <a href="${at('/search?q=postgres')}">postgres</a>:</p>
<ul class="found">${found.map((item) => html`<li>${avatar('owner' in item ? item.owner : item.name)}<a href="${pathIn(item.url)}">${item.name}</a>${'installCommand' in item && html`<code>${shortened(item.installCommand, 60)}</code>`}</li>`)}</ul></section>`
}
<section class="example" aria-labelledby="example-decision"><h2 id="example-decision">${icon('shield-check')} Ask before touching a site</h2>
<p>May an agent fetch from it, sign in there, pay there? A decision with its reasons, in seconds.</p>
<form class="ask" action="${at('/trust')}"><input type="text" name="domain" value="github.com" required maxlength="2048" aria-label="Domain or URL" inputmode="url" autocapitalize="none" autocomplete="off" spellcheck="false"><button>Decide</button></form>
<p class="field-hint">The answer is one of</p>
<ul class="answers">${Object.values(ACTIONS).map(({ short, sentence, tone }) => html`<li>${chip(short, tone)} <span class="quiet">${sentence}</span></li>`)}</ul></section>
<section class="example example-wide" aria-labelledby="example-events"><div><h2 id="example-events">${icon('webhook')} See an order arrive</h2>
<p>Orders, stock, sign-ups and messages arrive as events, over server-sent events, WebSocket or webhooks.</p>
<p>${storefront && html`<a href="${at(`/shops/${storefront.code}`)}">Buy in ${storefront.name}</a>, the demo shop. `}<a href="${at('/docs/guides/subscribe-and-resume')}">Subscribe, and resume</a></p></div>
<div>${codeBlock({ id: 'watch', text: watch, language: 'sh', label: 'Command that subscribes to orders' })}
${storefront?.sampleOrder ? lastEvent(storefront.name, storefront.sampleOrder, at) : RECORDED}</div></section>
</div>`
}

const event = (data: object): Html => html`<span data-event>event: next
data: ${colored(JSON.stringify({ data }), 'json')}

</span>`

/** Events of one order, recorded in a demo shop: what a subscription prints. */
const RECORDED = html`<div class="code"><div class="code-bar"><span>Recorded events of one order</span><button type="button" data-replay hidden>${icon('play')}<span>Replay</span></button></div><pre tabindex="0" aria-label="Recorded events of one order"><code>${['PENDING_PAYMENT', 'PAID', 'SHIPPED'].map((status) => event({ orderUpdated: { number: 32, status, total: '124.23' } }))}</code></pre></div>`

type SampleOrder = NonNullable<NonNullable<HomePageQuery['storefront']>['sampleOrder']>

/** The last order of the demo shop, as everybody may see it; with script, those that arrive from now on. */
const lastEvent = (shop: string, order: SampleOrder, at: Site['at']): Html =>
  html`<div class="code breaks" data-orders="${at(SAMPLE_ORDERS)}"><div class="code-bar"><span>Last order in ${shop}, <time datetime="${order.updatedAt}">${momentOf(order.updatedAt)}</time></span><span data-live role="status"></span></div><pre tabindex="0" aria-label="Orders of ${shop}, the newest first"><code>${event({ sampleOrderUpdated: order })}</code></pre></div>`

const starts = ({ at }: Site): Html => html`<section aria-labelledby="starts"><h2 id="starts" class="spoken">Start as</h2>
<ul class="doors doors-raised">
<li>${glyph('bot')}<h3><a href="${at('/docs/start/agents')}">Agent builder</a></h3><p>Find tools, check sites, read what may be cited.</p></li>
<li>${glyph('code')}<h3><a href="${at('/docs/start/integrators')}">Integrator</a></h3><p>GraphQL, REST, events, and clients in your language.</p></li>
<li>${glyph('store')}<h3><a href="${at('/docs/start/shops')}">Shop owner</a></h3><p>Goods, orders and pages, with an API from the first day.</p></li>
<li>${glyph('server')}<h3><a href="${at('/docs/start/operators')}">Operator</a></h3><p>From nothing to a server with backups and health checks.</p></li>
</ul></section>`

const glyph = (name: IconName): Html => html`<span class="glyph">${icon(name)}</span>`

const links = ({ at, navigation: places }: Site): Html => html`<section aria-labelledby="doors"><h2 id="doors">APIs</h2>
<ul class="doors doors-thirds">
<li>${icon('graph')}<h3><a href="${at('/graphql')}">GraphQL</a></h3><p>One typed graph for everything${places.some(({ path }) => path === '/schema') && html`, <a href="${at('/schema')}">documented</a>`}, with subscriptions.</p></li>
<li>${icon('terminal')}<h3><a href="${at('/reference')}">REST</a></h3><p>The same data over plain HTTP, with OpenAPI contracts.</p></li>
<li>${icon('plug')}<h3>MCP</h3><p>MCP servers for agents, at <code>/mcp/directory</code>, <code>/mcp/store</code>, <code>/mcp/trust</code> and <code>/mcp/graph</code>.</p></li>
<li>${icon('shield-check')}<h3><a href="${at('/trust')}">Trust</a></h3><p>Decisions whether an agent may fetch from, sign in at or pay to a domain, with reasons.</p></li>
<li>${icon('cart')}<h3><a href="${at('/reference/store')}">Store</a></h3><p>Catalogue, orders and customers of a shop, over a compatible REST API or GraphQL.</p></li>
<li>${icon('file')}<h3><a href="${at('/llms.txt')}">For agents</a></h3><p>A guide, and <a href="${at('/.well-known/agent-skills/index.json')}">skills to install</a>.</p></li>
</ul></section>`

function posts({ edges }: HomePageQuery['feed'], { at }: Site): Html | null {
  if (edges.length === 0) return null
  return html`<section class="posts" aria-labelledby="posts"><h2 id="posts">Posts</h2>
${edges.map(
  ({ node: { id, title, publishedAt, author, about } }) => html`<article><h3><a href="${at(`/posts/${id}`)}">${title}</a></h3>
<p class="facts"><span>${author.name}</span> ${publishedAt && html`<time datetime="${publishedAt}">${dayOf(publishedAt)}</time>`} ${about && html`<span>about <a href="${pathIn(about.url)}">${about.name}</a></span>`}</p></article>`,
)}
<p><a href="${at('/posts')}">All posts</a></p></section>`
}
