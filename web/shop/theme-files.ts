import { ShopThemePageDocument } from '#generated/operations.ts'
import type { FileRow } from '../frame/file.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { themeStyles } from './colors.ts'

/** The stylesheet of a shop: our policy forbids styles inside of pages. */
export const shopThemeFiles: readonly FileRow[] = [
  {
    path: '/shops/{code}/theme.css',
    contentType: 'text/css; charset=utf-8',
    operations: [ShopThemePageDocument],
    async text({ path, run }) {
      const answer = await run(ShopThemePageDocument, { code: path.code ?? '' })
      const shop = foundIn(dataOf(answer).storefront, answer)
      return shop && (shop.theme ? themeStyles(shop.theme) : '')
    },
  },
]
