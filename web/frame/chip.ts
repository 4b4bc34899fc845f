import { type Html, html } from './html.ts'

/** How something is: its colour. The word beside it says the same. */
export type Tone = 'good' | 'fair' | 'doubt' | 'bad' | 'none'

/** A state in one word. */
export const chip = (label: string, tone: Tone): Html => html`<span class="chip tone-${tone}">${label}</span>`
