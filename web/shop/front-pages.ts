import {
  ShopAccountFrontPageDocument,
  ShopContentPageDocument,
  type ShopFrontContentsFragment,
  ShopFrontPageDocument,
} from '#generated/operations.ts'
import { counted, dayOf } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn, page } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { shopSessionOf } from './cart-cookie.ts'
import { breadcrumbs, frameOf, isOurs, linksOf, type ShopLinks, trail } from './frame.ts'
import { productGrid } from './product-card.ts'
import { feedLink } from './product-feed.ts'
import { plainText, richText } from './rich-text.ts'
import { shopFor } from './shop-for.ts'

/** Parameter of every page of a shop. */
export const LANGUAGE = { kind: 'text', max: 35 } as const

type Shop = ShopFrontContentsFragment

const FRONT_DOCUMENTS = [ShopFrontPageDocument, ShopAccountFrontPageDocument] as const

/** The front page of a shop, and the pages that its merchant wrote. */
export const shopFrontPages = [
  page({
    on: '/shops/{code}',
    operations: FRONT_DOCUMENTS,
    parameters: { language: LANGUAGE },
    sessionOf: shopSessionOf,
    async answer({ path, query, run, site, session }) {
      const shop = await shopFor(run, session, FRONT_DOCUMENTS, { code: path.code, language: query.language })
      if (shop === null) return null
      const links = linksOf(shop, query.language, site)
      return {
        title: shop.name,
        description: shop.theme?.heroText ?? `What ${shop.name} sells: ${counted(shop.newest.totalCount, 'product')}.`,
        canonical: links.path(''),
        alternates: [feedLink(links)],
        frame: frameOf(shop, links),
        picture:
          [shop.logo, ...shop.newest.nodes.map(({ images }) => images[0]?.url)].find((each) => isOurs(each, site)) ?? undefined,
        structured: structuredShop(shop, links),
        body: frontBody(shop, links),
      }
    },
  }),
  page({
    on: '/shops/{code}/pages/{permalink}',
    operations: [ShopContentPageDocument],
    parameters: { language: LANGUAGE },
    async answer({ path, query, run, site }) {
      const answer = await run(ShopContentPageDocument, { ...path, language: query.language })
      const shop = foundIn(dataOf(answer).storefront, answer)
      if (!shop?.page) return null
      const { title, body, permalink, seo, updatedAt } = shop.page
      const links = linksOf(shop, query.language, site)
      const here = links.path(`/pages/${encodeURIComponent(permalink)}`)
      return {
        title: seo.title,
        description: seo.description ?? (plainText(body ?? '', 160) || title),
        canonical: here,
        frame: frameOf(shop, links),
        structured: [
          breadcrumbs(
            [
              { name: shop.name, path: links.path('') },
              { name: title, path: here },
            ],
            site,
          ),
        ],
        body: html`${trail([{ name: shop.name, href: links.to('') }], title)}
<article class="narrow"><h1>${title}</h1>
${body !== null && richText(body)}
<p class="quiet">Last changed <time datetime="${updatedAt}">${dayOf(updatedAt)}</time></p></article>`,
      }
    },
  }),
]

const frontBody = (
  shop: Shop,
  links: ShopLinks,
): Html => html`<section class="shop-hero"><h1>${shop.theme?.heroTitle ?? shop.name}</h1>
${shop.theme?.heroText && html`<p class="lead">${shop.theme.heroText}</p>`}
<p><a class="button" href="${links.to('/search')}">See ${shop.newest.totalCount === 1 ? 'the product' : `all ${counted(shop.newest.totalCount, 'product')}`}</a></p></section>
${shop.collections.length > 0 && html`<section aria-labelledby="collections"><h2 id="collections">Collections</h2><ul class="tiles">${shop.collections.map(({ name, permalink }) => html`<li><a href="${links.to(`/collections/${encodeURIComponent(permalink)}`)}">${name}</a></li>`)}</ul></section>`}
${shop.featured.nodes.length > 0 && html`<section aria-labelledby="featured"><h2 id="featured">Favourites</h2>${productGrid(shop.featured.nodes, shop.currency, links)}</section>`}
<section aria-labelledby="newest"><h2 id="newest">New</h2>
${shop.newest.nodes.length === 0 ? html`<p>Nothing is on sale here at the moment.</p>` : productGrid(shop.newest.nodes, shop.currency, links)}</section>`

const structuredShop = (shop: Shop, { path, site }: ShopLinks): readonly object[] => [
  {
    '@context': 'https://schema.org',
    '@type': 'Store',
    name: shop.name,
    url: shop.url,
    ...(isOurs(shop.logo, site) && { logo: shop.logo }),
    currenciesAccepted: shop.currency,
  },
  {
    '@context': 'https://schema.org',
    '@type': 'WebSite',
    name: shop.name,
    url: shop.url,
    potentialAction: {
      '@type': 'SearchAction',
      target: searchTemplate(path(''), site),
      'query-input': 'required name=q',
    },
  },
  itemList(shop, path, site),
]

const searchTemplate = (path: string, { publicUrl }: Site): string => `${publicUrl}${pathIn(`${publicUrl}${path}`)}/search?q={q}`

const itemList = ({ newest }: Shop, path: ShopLinks['path'], { publicUrl }: Site): object => ({
  '@context': 'https://schema.org',
  '@type': 'ItemList',
  itemListElement: newest.nodes.map(({ permalink }, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    url: `${publicUrl}${path(`/products/${encodeURIComponent(permalink)}`)}`,
  })),
})
