import { keysOf } from '../../platform/collections/keys-of.ts'
import { checkbox, textInput } from '../console/fields.ts'
import { formState } from '../console/form-state.ts'
import { avatar } from '../frame/avatar.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { codeBlock, codeTabs } from '../frame/code.ts'
import { type Html, html } from '../frame/html.ts'
import { type IconName, icon } from '../frame/icon.ts'
import { ICON_SHAPES } from '../frame/icon-shapes.ts'
import { page } from '../frame/page.ts'
import { plot } from '../frame/plot.ts'

const COLORS = [
  ['ground', 'behind everything'],
  ['raised', 'fields, boxes above the ground'],
  ['sunken', 'code, plots'],
  ['text', 'words'],
  ['quiet', 'words beside others; contrast of 4.5 on every ground'],
  ['line', 'lines between rows'],
  ['edge', 'edges of fields; contrast of 3'],
  ['accent', 'links and buttons'],
  ['good', 'done, safe, active'],
  ['fair', 'with caution'],
  ['doubt', 'waiting, unsure'],
  ['bad', 'failed, denied, deleted'],
] as const

const TONES: readonly (readonly [tone: Tone, label: string])[] = [
  ['good', 'paid'],
  ['fair', 'with caution'],
  ['doubt', 'payment pending'],
  ['bad', 'canceled'],
  ['none', 'cart'],
]

/** A form that was sent with a price that is no number. */
const REFUSED = formState('', {
  path: '',
  field: () => '12,50',
  problems: { 'sample-price': 'Enter a number with a point before its decimals, such as 12.50.' },
  isConflict: false,
})

const SAMPLE_BLOCKS = [
  { id: 'sample-sh', text: "# Search\ncurl 'localhost:4000/api/search?q=pdf'\n", language: 'sh', label: 'Example in a shell' },
  { id: 'sample-ts', text: "const answer = await fetch('/api/search?q=pdf')\n", language: 'ts', label: 'Example in TypeScript' },
  { id: 'sample-py', text: 'import json, urllib.request\n', language: 'py', label: 'Example in Python' },
]

/** A part, how it looks, and how it is written. */
type Sample = { readonly name: string; readonly when: string; readonly look: Html; readonly markup: string }

const SAMPLES: readonly Sample[] = [
  {
    name: 'Buttons',
    when: 'One plain button per form. Secondary ones undo or show; a dangerous one stands behind a <details>.',
    look: html`<p class="actions"><button type="button">Save</button> <button type="button" class="secondary">Copy</button> <button type="button" class="danger">Delete</button> <button type="button" class="plain">Sign out</button></p>`,
    markup: '<button>, class="secondary", "danger", "plain"',
  },
  {
    name: 'Status chips',
    when: 'A state in one word. The word says it; the colour helps.',
    look: html`<p class="actions">${TONES.map(([tone, label]) => chip(label, tone))}</p>`,
    markup: "chip('paid', 'good') of frame/chip.ts",
  },
  {
    name: 'Notices',
    when: 'What a form has done, or why it has not. Read out by screen readers.',
    look: html`<p role="status" class="alert tone-good">The webhook was created.</p><p role="status" class="alert tone-bad">The address is not public.</p>`,
    markup: '<p role="status" class="alert tone-good">, role="alert" for a refusal',
  },
  {
    name: 'Empty state',
    when: 'A list without a row says so, and what to do next.',
    look: html`<div class="empty"><p><strong>No webhooks yet.</strong></p><p>Create the first one below.</p></div>`,
    markup: '<div class="empty" role="status">',
  },
  {
    name: 'Table',
    when: 'Numbers stand right. A wide one scrolls by itself, and shows at its edge that it does.',
    look: html`<div class="wide" tabindex="0" role="region" aria-label="Example of a table"><table><thead><tr><th scope="col">Product</th><th scope="col">Status</th><th scope="col" class="number">Price</th></tr></thead><tbody><tr><th scope="row">Cup</th><td>${chip('on sale', 'good')}</td><td class="number">€12.50</td></tr><tr><th scope="row">Bowl</th><td>${chip('hidden', 'none')}</td><td class="number">€130.00</td></tr></tbody></table></div>`,
    markup: '<div class="wide" tabindex="0" role="region" aria-label="…"><table>, class="number"',
  },
  {
    name: 'Form',
    when: 'A label above each field. It works without a script.',
    look: html`<form class="stacked narrow"><p><label for="sample-name">Name</label><input type="text" id="sample-name" name="name" autocomplete="off"></p><p><label for="sample-kind">Kind</label><select id="sample-kind" name="kind"><option>Server</option><option>Skill</option></select></p></form>`,
    markup: '<label for>, <input>, <select>; class="fields" puts them beside each other',
  },
  {
    name: 'Form that was refused',
    when: 'What is wrong stands below its field, and above the form with a link to it. What was typed stays.',
    look: html`<div class="edit"><form>${textInput(REFUSED, { name: 'sample-price', label: 'Price', stored: '', inputmode: 'decimal', isRequired: true, hint: 'Without tax.' })}${checkbox(REFUSED, { name: 'sample-shipping', label: 'Needs shipping', stored: true })}</form></div>`,
    markup: 'textInput, textArea, selectInput and checkbox of console/fields.ts, within class="edit"',
  },
  {
    name: 'Plot',
    when: 'Bars or lines over time from zero, with the last values in the legend. A table has the same figures.',
    look: plot({
      kind: 'bars',
      heading: 'Orders by day',
      series: [{ name: '', values: [3, 5, 2, 8, 6, 9, 4] }],
      format: String,
      min: 1,
      ticks: ['Monday', 'today'],
      summary: 'at most 9, on Saturday',
    }),
    markup: "plot({ kind: 'bars', heading, series, … }) of frame/plot.ts",
  },
  {
    name: 'Code',
    when: 'Commands to paste, with a button where there is a script. The tab of a language that was chosen is chosen everywhere.',
    look: html`${codeBlock({ id: 'sample-line', text: 'npx atrium doctor', language: 'sh', label: 'Example of a command' })}${codeTabs('sample', SAMPLE_BLOCKS)}`,
    markup: "codeBlock({ id, text, language: 'sh', label }) and codeTabs('group', [block, …]) of frame/code.ts",
  },
  {
    name: 'Icons',
    when: 'Beside words that say the same. Another one is a row of scripts/pages/fonts-and-icons.ts.',
    look: html`<ul class="icons">${keysOf(ICON_SHAPES).map((name: IconName) => html`<li>${icon(name)} <code>${name}</code></li>`)}</ul>`,
    markup: "icon('search') of frame/icon.ts",
  },
  {
    name: 'Avatars and glyphs',
    when: 'People and owners have a picture made from their name, categories have an icon.',
    look: html`<p class="actions">${['Ann Example', 'github', 'Marigold & Daughters', '東京'].map(avatar)} <span class="glyph">${icon('database')}</span></p>`,
    markup: 'avatar(\'Ann Example\') of frame/avatar.ts, <span class="glyph">',
  },
  {
    name: 'Disclosure',
    when: 'What few readers need, or what must not happen by accident.',
    look: html`<details><summary>Audit trail</summary><p>Evidence and policy give: proceed.</p></details>`,
    markup: '<details><summary>',
  },
  {
    name: 'Folded',
    when: 'Filters and the like: a phone folds them away, a wide window shows them.',
    look: html`<div class="facets"><details class="folded"><summary>Order and filters</summary><ul><li id="folded"><a href="#folded">Newest</a></li></ul></details></div>`,
    markup: '<details class="folded"><summary>',
  },
  {
    name: 'Folded sections',
    when: 'Long lists by kind: the heading opens its section, and says how much is in it.',
    look: html`<details class="fold" open><summary><h3>Queries <span class="quiet">2</span></h3></summary><ul class="listing"><li><a href="#listed"><code id="listed">node</code></a> <span>The object with an id.</span></li></ul></details>`,
    markup: '<details class="fold"><summary><h2>, <ul class="listing">',
  },
  {
    name: 'Tiles',
    when: 'Entries that lead somewhere: the whole tile is the link of its name.',
    look: html`<div class="tiles"><div class="card"><h3><a href="#tile" id="tile">Databases</a></h3><p class="facts"><span>3 items</span></p><p class="note">Read only, all of them.</p></div></div>`,
    markup: '<div class="tiles"><div class="card">, <p class="note">',
  },
  {
    name: 'Table that stacks',
    when: 'Rows with one name and one amount: on a phone each row is a block.',
    look: html`<div class="wide" tabindex="0" role="region" aria-label="Orders of the example"><table class="stack"><thead><tr><th scope="col">Number</th><th scope="col">Customer</th><th scope="col">Status</th><th scope="col" class="number">Total</th></tr></thead><tbody><tr><th scope="row"><a href="#stacked" id="stacked">1001</a></th><td>Ann Example</td><td>${chip('Paid', 'good')}</td><td class="number">€12.00</td></tr></tbody></table></div>`,
    markup: '<table class="stack">',
  },
  {
    name: 'States',
    when: 'Many names with a state each.',
    look: html`<ul class="states"><li><strong>urlhaus</strong> ${chip('answers', 'good')}</li><li><strong>tranco</strong> ${chip('unavailable', 'doubt')}</li></ul>`,
    markup: '<ul class="states"><li><strong>',
  },
]

/** The parts that pages are made of, for who writes them; served in development only. */
export const designPages = [
  page({
    on: '/design',
    operations: [],
    cacheControl: 'no-store',
    answer: async () => ({
      title: 'Design',
      description: 'Colours, type and parts of the pages, with their markup.',
      scripts: ['copy.js', 'code-tabs.js'],
      styles: ['design.css'],
      body: html`<h1>Design</h1>
<p class="lead">What pages are made of. This page is served in development only. Change the theme in the foot, and the width of the window.</p>
<section aria-labelledby="colors"><h2 id="colors">Colours</h2><ul class="swatches">${COLORS.map(([name, use]) => html`<li><div class="swatch swatch-${name}"></div><code>--${name}</code><br><span class="quiet">${use}</span></li>`)}</ul></section>
<section aria-labelledby="type"><h2 id="type">Type</h2><p class="lead">Lead: the one sentence below a title.</p><p>Text: at most 44 rem wide, 1.55 high. <code>code</code>, <strong>strong</strong>, <a href="#type">link</a>, <kbd>key</kbd>.</p><p class="quiet">Quiet: beside the point.</p></section>
${SAMPLES.map(({ name, when, look, markup }, index) => html`<section aria-labelledby="part-${index}"><h2 id="part-${index}">${name}</h2><p>${when}</p>${look}<p><code>${markup}</code></p></section>`)}`,
    }),
  }),
]
