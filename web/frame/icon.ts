import { type Html, html } from './html.ts'
import { ICON_SHAPES } from './icon-shapes.ts'

/** Names of the icons; `/design` shows them. */
export type IconName = keyof typeof ICON_SHAPES

/** An icon as tall as its text and in its colour. Screen readers skip it: words stand beside it. */
export const icon = (name: IconName): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${ICON_SHAPES[name]}</svg>`
