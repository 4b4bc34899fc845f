import { IMAGE } from '../file/file.ts'
import type { Files } from '../file/files.ts'
import { fileRepository } from '../file/repository.ts'
import { setInventoryLevel } from '../inventory/actions.ts'
import { createProduct } from '../product/actions.ts'
import { createProductCategory } from '../product-category/actions.ts'
import { createProductImage } from '../product-image/actions.ts'
import { productVariantRepository } from '../product-variant/repository.ts'
import { done, type FilledStore } from './filled.ts'
import { priceIn } from './market.ts'
import { type Motif, pictureOf } from './picture.ts'
import { type SampleProduct, variantsOf } from './sample.ts'

/** What can be bought, by SKU; `variantId` is null for a product without variants. */
export type Goods = ReadonlyMap<string, { readonly productId: string; readonly variantId: string | null }>

/** Days from the first product to the last, and of the last before now. */
const [SINCE, UNTIL] = [118, 90]

/** Writes categories, products with their variants, pictures and stock. */
export async function fillCatalogue(
  filled: FilledStore,
  products: readonly SampleProduct[],
  {
    locations,
    files,
    onProgress,
  }: {
    readonly locations: readonly string[]
    readonly files: Pick<Files, 'keepOwn'>
    readonly onProgress: (done: number) => void
  },
): Promise<Goods> {
  const categoryIds = await fillCategories(filled, products)
  const goods = new Map<string, { readonly productId: string; readonly variantId: string | null }>()
  for (const [index, product] of products.entries()) {
    const unit = filled.ago(SINCE - ((SINCE - UNTIL) * index) / products.length)
    const { query, storeId, now } = unit
    const price = (euros: number) => priceIn(filled.currency, euros)
    const variants = variantsOf(product)
    const colours = new Set(variants.flatMap(({ values }) => values.flatMap(({ colour }) => colour ?? [])))
    const { product: row } = done(
      await createProduct(unit, {
        name: product.name,
        description: `<p>${product.text}</p>`,
        brand: product.brand,
        sku: product.sku,
        price: price(product.price),
        compareAtPrice: product.before === undefined ? null : price(product.before),
        weight: String(product.weight),
        status: product.status,
        featured: product.featured,
        stock: 0,
        categoryIds: pathsIn(product.in).map((path) => categoryIds.get(path) ?? ''),
        variants: variants.map(({ sku, price: euros, values }) => ({
          sku,
          price: price(euros),
          stock: 0,
          options: values.map(({ option, value, colour }) => ({
            name: option,
            value,
            custom: colour,
            optionType: colour === null ? ('OPTION' as const) : ('COLOR' as const),
          })),
        })),
      }),
    )
    const productId = String(row)
    for (const colour of colours.size > 0 ? colours : [product.colour]) {
      const file = await storedPicture(product.motif, colour, product.sku)
      done(await createProductImage(unit, { productId }, file))
    }

    const rows = await productVariantRepository(query).ofProducts(storeId, [row])
    const items =
      variants.length === 0
        ? [{ sku: product.sku, variantId: null }]
        : variants.map(({ sku }) => ({ sku, variantId: String(rows.find((each) => each.sku === sku)?.id) }))
    for (const [place, { sku, variantId }] of items.entries()) {
      goods.set(sku, { productId, variantId })
      for (const [at, locationId] of locations.entries()) {
        const stock = product.stock[place]?.[at] ?? 0
        done(await setInventoryLevel(unit, { productId, variantId, locationId, stock }))
      }
    }
    onProgress(index + 1)

    async function storedPicture(motif: Motif, colour: string, name: string): Promise<number> {
      let file = 0
      const cached = await files.keepOwn(pictureOf(motif, colour), IMAGE, {
        storeId,
        name: `${name.toLowerCase()}.png`,
        record: async (stored) => {
          file = await fileRepository(query).insert(storeId, { ...stored, sourceUrl: null, at: now })
        },
      })
      if (cached.kind === 'refused') throw new Error(`Expected a drawn picture ${cached.expectation}.`)
      return file
    }
  }
  return goods
}

/** Ids of categories by their paths. */
async function fillCategories({ ago }: FilledStore, products: readonly SampleProduct[]): Promise<ReadonlyMap<string, string>> {
  const unit = ago(SINCE)
  const ids = new Map<string, string>()
  for (const path of new Set(products.flatMap((product) => pathsIn(product.in)))) {
    const [name = '', ...above] = path.split('/').reverse()
    const parentId = ids.get(above.reverse().join('/')) ?? null
    ids.set(path, String(done(await createProductCategory(unit, { name, parentId })).productCategory))
  }
  return ids
}

/** `a/b/c` and all that it is in: `a`, `a/b`, `a/b/c`. */
const pathsIn = (path: string): readonly string[] => path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
