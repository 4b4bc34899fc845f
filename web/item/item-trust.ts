import type { ItemPageFragment } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'

type Trust = ItemPageFragment['itemTrust']
type Level = Trust['level']

const SUBJECTS: Readonly<Record<Trust['parts'][number]['subject'], string>> = {
  PUBLISHER: 'Publisher',
  NAMES: 'Names',
  INSTALLATION: 'Installation',
  MAINTENANCE: 'Maintenance',
  BEHAVIOR: 'Behavior',
}

/** Words, mark and color of a level; the words do without the color. */
const LEVELS: Readonly<Record<Level, { readonly short: string; readonly mark: string; readonly tone: string }>> = {
  GOOD: { short: 'Evidence for it, none against it.', mark: 'Good', tone: 'good' },
  UNKNOWN: { short: 'Little is known.', mark: 'Note', tone: 'none' },
  CAUTION: { short: 'Look before installing it.', mark: 'Caution', tone: 'doubt' },
  WARNING: { short: 'Do not install it before somebody has looked.', mark: 'Warning', tone: 'bad' },
}

/** A level in one word. */
export const levelMark = (level: Level): Html => html`<strong>${LEVELS[level].mark}:</strong>`

/** A level in one sentence. */
export const levelSentence = (level: Level): string => LEVELS[level].short

/** The level of the item itself, above what installs it, with a link to the evidence. */
export const itemTrustLine = ({ level }: Trust): Html =>
  html`<p class="badge tone-${LEVELS[level].tone}"><a href="#item-trust">Trust of this item</a>: <strong>${levelSentence(level)}</strong></p>`

/** What the directory knows about the item itself. */
export function itemTrustSection({ level, parts }: Trust): Html {
  const { tone } = LEVELS[level]
  return html`<section aria-labelledby="item-trust"><h2 id="item-trust">Trust of this item</h2>
<p class="badge tone-${tone}"><strong>${levelSentence(level)}</strong> <span class="quiet">From what the directory has stored; the code is not judged.</span></p>
<dl class="facts-list">
${parts.map(
  ({ subject, findings }) =>
    html`<dt>${SUBJECTS[subject]}</dt><dd>${
      findings.length === 0
        ? html`<span class="quiet">no evidence</span>`
        : findings.map(
            ({ level: found, meaning, detail }) =>
              html`<div>${levelMark(found)} ${meaning} ${detail !== null && html`<code>${detail}</code>`}</div>`,
          )
    }</dd>`,
)}
</dl></section>`
}
