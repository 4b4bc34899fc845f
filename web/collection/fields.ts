import type { ItemCollectionVisibility } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'

/** Who can read a collection, in words. */
export const VISIBILITIES: Readonly<Record<ItemCollectionVisibility, { readonly word: string; readonly who: string }>> = {
  PUBLIC: { word: 'public', who: 'Everybody' },
  UNLISTED: { word: 'unlisted', who: 'Everybody who has the link' },
  PRIVATE: { word: 'private', who: 'Only you' },
}

type Values = { readonly name: string; readonly description: string; readonly visibility: ItemCollectionVisibility }

/** The fields of a collection, with what they hold. */
export const collectionFields = ({ name, description, visibility }: Values): Html =>
  html`<p><label for="name">Name</label><input type="text" id="name" name="name" value="${name}" maxlength="100" autocomplete="off" required></p>
<p><label for="description">Description; Markdown works</label><textarea id="description" name="description" rows="4" maxlength="10000">
${description}</textarea></p>
<p><label for="visibility">Who can read it</label><select id="visibility" name="visibility">${Object.entries(VISIBILITIES).map(([value, { who }]) => html`<option value="${value}"${value === visibility && html` selected`}>${who}</option>`)}</select></p>`

/** The visibility that a form names; null for another text. */
export const visibilityIn = (text: string): ItemCollectionVisibility | null =>
  text === 'PUBLIC' || text === 'UNLISTED' || text === 'PRIVATE' ? text : null
