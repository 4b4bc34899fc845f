import { codeBlock } from '../frame/code.ts'
import { type Html, html, textOf } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'

/** How the author of an item shows its badge in a README; `path` is that of its page. */
export function badgeSection(name: string, path: string, { publicUrl, at }: Site): Html {
  const [image, page] = [`${publicUrl}/badge${path}.svg`, `${publicUrl}${path}`]
  const label = `${name} on Atrium`
  // Brackets would end the text of the image.
  const markdown = `[![${label.replaceAll(/[[\]\\]/g, '')}](${image})](${page})`
  return html`<section aria-labelledby="badge"><h2 id="badge">Badge</h2>
<p><img class="item-badge" src="${at(`/badge${path}.svg`)}" alt="${label}" height="20" loading="lazy"></p>
<details><summary>Show it in a README</summary>
${codeBlock({ id: 'badge-markdown', text: markdown, label: 'Badge in Markdown', breaks: true })}
${codeBlock({ id: 'badge-html', text: textOf(html`<a href="${page}"><img src="${image}" alt="${label}" height="20"></a>`), language: 'html', label: 'Badge in HTML', breaks: true })}
<p class="quiet">Its trust is that of the item itself, on the day that it names.</p>
</details></section>`
}
