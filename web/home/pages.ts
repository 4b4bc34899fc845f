import { HomePageDocument, type HomePageQuery } from '#generated/operations.ts'
import { chip } from '../frame/chip.ts'
import { codeBlock } from '../frame/code.ts'
import { dayOf, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, page } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { cards, shortened } from '../item/card.ts'
import { searchForm } from '../search/form.ts'
import { ACTIONS } from '../trust/labels.ts'

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
        scripts: ['search.js', 'copy.js'],
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
        body: html`<div class="hero">
<h1>One graph for agents and the people who run them</h1>
<p class="lead">Find tools for agents, decide which sites they may touch, and run shops and communities: one API for all of it.</p>
${searchForm('', { kind: null, category: null }, site)}
${figures(data)}
</div>
<div data-resting>
${examples(data, site)}
${starts(site)}
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

/** An event of an order, as it arrives over server-sent events. */
const EVENT = `event: next
data: {"data":{"orderUpdated":{
  "number":32,"status":"PAID",
  "total":"124.23","currency":"EUR"}}}`

/** One of each: what a search finds now, a decision to ask for, and an order that arrives. */
function examples({ search, storefront }: HomePageQuery, { at, publicUrl }: Site): Html {
  const found = search.edges.map(({ node }) => node)
  const watch = `curl --no-buffer ${publicUrl}/graphql -u "$LOGIN:$AUTHTOKEN" \\
  -H 'accept: text/event-stream' -H 'content-type: application/json' \\
  -d '{"query": "subscription { orderUpdated { number status total currency } }"}'`
  return html`<div class="examples">
${
  found.length > 0 &&
  html`<section class="example" aria-labelledby="example-search"><h2 id="example-search">Find a tool</h2>
<p>Agents and people search by relevance. For <a href="${at('/search?q=postgres')}">postgres</a>:</p>
<ul>${found.map((item) => html`<li><a href="${pathIn(item.url)}">${item.name}</a>${'installCommand' in item && html`<br><code>${shortened(item.installCommand, 60)}</code>`}</li>`)}</ul></section>`
}
<section class="example" aria-labelledby="example-decision"><h2 id="example-decision">Ask before touching a site</h2>
<p>May an agent fetch from it, sign in there, pay there? A decision with its reasons, in seconds.</p>
<form class="ask" action="${at('/trust')}"><input type="text" name="domain" value="github.com" required maxlength="2048" aria-label="Domain or URL" inputmode="url" autocapitalize="none" autocomplete="off" spellcheck="false"><button>Decide</button></form>
<p class="field-hint">The answer is one of</p>
<ul>${Object.values(ACTIONS).map(({ short, sentence, tone }) => html`<li>${chip(short, tone)} <span class="quiet">${sentence}</span></li>`)}</ul></section>
<section class="example" aria-labelledby="example-events"><h2 id="example-events">See an order arrive</h2>
<p>Orders, stock, sign-ups and messages arrive as events, over server-sent events, WebSocket or webhooks:</p>
${codeBlock({ id: 'watch', text: watch, language: 'sh', label: 'Command that subscribes to orders' })}
<p>What it prints when somebody pays:</p>
<pre class="event" tabindex="0" aria-label="An event of an order"><code>${EVENT}</code></pre>
<p>${storefront && html`<a href="${at(`/shops/${storefront.code}`)}">Buy in ${storefront.name}</a>, the demo shop. `}<a href="${at('/docs/guides/subscribe-and-resume')}">Subscribe, and resume</a></p></section>
</div>`
}

const starts = ({ at }: Site): Html => html`<section aria-labelledby="starts"><h2 id="starts">Start as</h2>
<ul class="doors">
<li><h3><a href="${at('/docs/start/agents')}">Agent builder</a></h3><p>Find tools, check sites, read what may be cited.</p></li>
<li><h3><a href="${at('/docs/start/integrators')}">Integrator</a></h3><p>GraphQL, REST, events, and clients in your language.</p></li>
<li><h3><a href="${at('/docs/start/shops')}">Shop owner</a></h3><p>Goods, orders and pages, with an API from the first day.</p></li>
<li><h3><a href="${at('/docs/start/operators')}">Operator</a></h3><p>From nothing to a server with backups and health checks.</p></li>
</ul></section>`

const links = ({ at, navigation: places }: Site): Html => html`<section aria-labelledby="doors"><h2 id="doors">APIs</h2>
<ul class="doors">
<li><h3><a href="${at('/graphql')}">GraphQL</a></h3><p>One typed graph for everything${places.some(({ path }) => path === '/schema') && html`, <a href="${at('/schema')}">documented</a>`}, with subscriptions.</p></li>
<li><h3><a href="${at('/reference')}">REST</a></h3><p>The same data over plain HTTP, with OpenAPI contracts.</p></li>
<li><h3>MCP</h3><p>MCP servers for agents, at <code>/mcp/directory</code>, <code>/mcp/store</code>, <code>/mcp/trust</code> and <code>/mcp/graph</code>.</p></li>
<li><h3><a href="${at('/trust')}">Trust</a></h3><p>Decisions whether an agent may fetch from, sign in at or pay to a domain, with reasons.</p></li>
<li><h3><a href="${at('/reference/store')}">Store</a></h3><p>Catalogue, orders and customers of a shop, over a compatible REST API or GraphQL.</p></li>
<li><h3><a href="${at('/llms.txt')}">For agents</a></h3><p>A guide, and <a href="${at('/.well-known/agent-skills/index.json')}">skills to install</a>.</p></li>
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
