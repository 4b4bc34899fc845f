import type { ItemCardFragment } from '#generated/operations.ts'
import { avatar } from '../frame/avatar.ts'
import { compact } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { plainText } from '../frame/markdown.ts'
import { pathIn } from '../frame/site.ts'
import { categoryIcon, kindIcon } from './category-icon.ts'
import { KIND_LABELS } from './kind.ts'

/** Longest text that a card shows of a description. */
const MAX_DESCRIPTION_LENGTH = 220

/** An item in a list, and how many like it it stands for; `picker`: the form that it can be chosen in. */
const card = (item: ItemCardFragment, similarCount: number, picker: string | null): Html => html`<li class="card pictured">
${avatar(ownerOf(item))}
<h3><a href="${pathIn(item.url)}">${item.name}</a></h3>
<p class="facts"><span class="kind">${kindIcon(item.kind)} ${KIND_LABELS[item.kind].one}</span> <code>${keyOf(item)}</code> ${item.category !== 'Uncategorized' && html`<span>${categoryIcon(item.category)} ${item.category}</span>`} ${stars(item.popularity)} ${marks(item)}${picker !== null && html` <label class="pick"><input type="checkbox" name="item" value="${item.id}" form="${picker}"> Compare<span class="spoken"> ${item.name}</span></label>`}</p>
${item.description !== '' && html`<p>${shortened(plainText(item.description))}</p>`}
${similarCount > 0 && html`<p class="quiet">and ${similarCount} with the same description</p>`}
</li>`

/**
 * Cards below each other; `similarCounts` says how many items each stands for besides itself, `picker` is the id of
 * a form that takes those that are chosen as its fields `item`.
 */
export const cards = (
  items: readonly ItemCardFragment[],
  similarCounts: readonly number[] = [],
  picker: string | null = null,
): Html => html`<ul class="cards">${items.map((item, index) => card(item, similarCounts[index] ?? 0, picker))}</ul>`

/** How many stars; nothing when unknown. */
export const stars = (count: number): Html | null =>
  count === 0 ? null : html`<span>${compact(count)} <span aria-hidden="true">★</span><span class="spoken"> stars</span></span>`

const marks = (item: ItemCardFragment): Html | null =>
  'official' in item
    ? html`${item.official && html`<span class="mark-official">official</span>`} ${item.deprecated && html`<span class="mark-deprecated">deprecated</span>`}`
    : null

/** Whose picture stands before it: that of the owner of its source, or its own. */
export function ownerOf(item: ItemCardFragment): string {
  if ('owner' in item) return item.owner
  return item.slug
}

/** Its natural key, as people write it. */
export function keyOf(item: ItemCardFragment): string {
  if ('owner' in item) return `${item.owner}/${item.repo}`
  return 'marketplaceSlug' in item ? `${item.marketplaceSlug}/${item.slug}` : item.slug
}

/** The text, cut at a word when it is long. */
export function shortened(text: string, maxLength = MAX_DESCRIPTION_LENGTH): string {
  if (text.length <= maxLength) return text
  const cut = text.slice(0, maxLength)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), maxLength - 30)).toWellFormed()}…`
}
