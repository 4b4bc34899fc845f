import { ShopPageDocument, type ShopPageQuery } from '#generated/operations.ts'
import { counted, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn, page } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'

type Shop = NonNullable<ShopPageQuery['shop']>
type Product = Shop['products']['nodes'][number]

export const shopPages = [
  page({
    on: '/shops/{code}',
    operations: [ShopPageDocument],
    parameters: { after: { kind: 'text', max: 1_000 } },
    async answer({ path, query, run, site }) {
      const answer = await run(ShopPageDocument, { code: path.code, after: query.after })
      const shop = foundIn(dataOf(answer).shop, answer)
      if (shop === null) return null
      return {
        title: shop.name,
        description: `What ${shop.name} sells: ${counted(shop.products.totalCount, 'product')}.`,
        ...(query.after === null && { canonical: shopPath(shop) }),
        structured: [structured(shop)],
        body: bodyOf(shop, query.after !== null, site),
      }
    },
  }),
]

const shopPath = ({ code }: Pick<Shop, 'code'>): string => `/shops/${code}`

const bodyOf = (shop: Shop, isFurther: boolean, site: Site): Html => html`<h1>${shop.name}</h1>
<p class="lead">${counted(shop.products.totalCount, 'product')} on sale, the newest first. Prices are without tax.</p>
${shop.products.nodes.length === 0 ? html`<p>Nothing is on sale here at the moment.</p>` : html`<ul class="goods">${shop.products.nodes.map((product) => goods(product, shop, site))}</ul>`}
<p class="pages">${isFurther && html`<a href="${site.at(shopPath(shop))}">Back to the newest</a> `}${
  shop.products.pageInfo.hasNextPage &&
  html`<a href="${site.at(shopPath(shop))}?after=${encodeURIComponent(shop.products.pageInfo.endCursor ?? '')}" rel="next">Older products</a>`
}</p>`

const goods = ({ name, price, image }: Product, { currency }: Shop, site: Site): Html => html`<li>${
  isOurs(image, site)
    ? html`<img src="${pathIn(image)}" alt="" width="240" height="240" loading="lazy">`
    : html`<div class="no-picture"></div>`
}
<h2>${name}</h2><p>${money(price, currency)}</p></li>`

/** Pictures that are kept elsewhere are not shown: pages load nothing from there. */
const isOurs = (image: string | null, { publicUrl }: Site): image is string =>
  image !== null && new URL(image).origin === new URL(publicUrl).origin

const structured = ({ name, url, currency, products }: Shop): object => ({
  '@context': 'https://schema.org',
  '@type': 'Store',
  name,
  url,
  makesOffer: products.nodes.map((product) => ({
    '@type': 'Offer',
    price: product.price,
    priceCurrency: currency,
    availability: 'https://schema.org/InStock',
    itemOffered: { '@type': 'Product', name: product.name, ...(product.image !== null && { image: product.image }) },
  })),
})
