import {
  ConsoleCreateProductImageDocument,
  ConsoleDeleteProductImageDocument,
  ConsoleMoveProductImageDocument,
} from '#generated/operations.ts'
import { toChanged } from '../frame/change.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { pathIn } from '../frame/site.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { onceField, textInput } from './fields.ts'
import { IMAGE_FIELD } from './image-form.ts'
import type { ConsoleRow } from './page.ts'
import type { ProductPage } from './product-page.ts'
import { PRODUCTS } from './products.ts'
import { readForm } from './read-form.ts'

/** Characters of an address of an image. */
const MAX_URL_CHARACTERS = 2_000

/** Images of a product: which one lists show, another one, and away with one. */
export function imagesSection({ product: { images, name }, path, form, visit, site }: ProductPage): Html {
  const at = `${path}/images`
  return html`<section aria-labelledby="images"><h2 id="images">Images</h2>
${
  images.length === 0
    ? html`<p>No images yet. Lists of the shop show the first one.</p>`
    : html`<ul class="pictures">${images.map(
        ({ number, url }, index) =>
          html`<li><img src="${site.at(pathIn(url))}" alt="${name}, image ${index + 1}" loading="lazy" width="120" height="120">${changeForm(
            at,
            visit,
            site,
            html`<input type="hidden" name="image" value="${number}">${index > 0 && html`<button class="plain" name="do" value="first" aria-label="Show image ${index + 1} first">Show first</button>`}<details class="confirm"><summary aria-label="Delete image ${index + 1}…">Delete…</summary><button class="danger" name="do" value="delete">Delete</button></details>`,
          )}</li>`,
      )}</ul>`
}
${changeForm(
  at,
  visit,
  site,
  html`${onceField()}<input type="hidden" name="do" value="add"><p><label for="images-file">Image from this device</label><input type="file" id="images-file" name="${IMAGE_FIELD}" accept="image/png,image/jpeg,image/gif,image/webp,image/avif"></p>
${textInput(form(at), { name: 'url', label: 'Or the address of an image', stored: '', type: 'url', maxLength: MAX_URL_CHARACTERS, hint: 'PNG, JPEG, GIF, WebP or AVIF of at most 10 MB. An address must be public; it is fetched once.' })}
<p><button class="secondary">Add the image</button></p>`,
  true,
)}</section>`
}

export const productImageChanges = (product: ConsoleRow): readonly ConsoleChange[] => [
  consoleChange({
    path: `${PRODUCTS}/{number}/images`,
    on: product,
    operations: [ConsoleCreateProductImageDocument, ConsoleMoveProductImageDocument, ConsoleDeleteProductImageDocument],
    async make({ path: { number: productId }, field, run }) {
      const done = { at: `${PRODUCTS}/${productId}`, notice: 'pictured' }
      const about = { number: field('image'), product: productId }
      if (field('do') === 'delete') return toChanged(dataOf(await run(ConsoleDeleteProductImageDocument, about)).result, done)
      if (field('do') === 'first')
        return toChanged(dataOf(await run(ConsoleMoveProductImageDocument, { ...about, position: 1 })).result, done)
      const form = readForm(field)
      const url = field(IMAGE_FIELD) || form.text('url')
      if (url === '') return { kind: 'refused', problems: [], fields: { url: 'Choose a file, or enter an address.' } }
      const input = { productId, url, idempotencyKey: form.idempotencyKey() }
      return toChanged(dataOf(await run(ConsoleCreateProductImageDocument, { input })).result, done)
    },
  }),
]
