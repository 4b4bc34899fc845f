import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePages, expectAccessible, hasNoBrowser, openPage, sharedBrowser } from './browser.ts'

const many = (className: string) =>
  Array.from({ length: 9 }, (_, n) => `<section class="${className}"><p>Words of card ${n}</p></section>`).join('')
/** Cards of two classes, of which the texts with a name cannot be read. */
const CARDS = `<!doctype html><html lang="en"><title>Cards</title>
<style>section, .black { color: #000; height: 40px } .card { background: #fff } .black { background: #333 }
.card:nth-of-type(11) { background: #222 } p { margin: 0 } #out { position: relative; top: -35px } .sheet { background: #fff }</style>
<main><h1>Cards</h1>${many('card')}<section class="card"><p id="pale" style="color: #ddd">Pale words</p></section>
<section class="card"><p id="dark">Words on a dark card</p></section>${many('card')}${many('open')}
<div class="black"></div><section class="open"><p id="out">Words that stand out of their card</p></section>
<section class="open"><div class="sheet" style="margin-left: -6px"><p>Words on a sheet that stands out of its card</p></div></section></main>`

describe.skipIf(hasNoBrowser)('an audit', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('finds each text without contrast among those of its class that have enough, and nothing else', async () => {
    const { page } = await openPage(browser)
    await page.setContent(CARDS)
    const complaint = await expectAccessible(page).then(
      () => '',
      ({ actual }: { readonly actual: unknown }) => String(actual),
    )
    expect([...complaint.matchAll(/<p id="(\w+)"/g)].map(([, id]) => id)).toEqual(['pale', 'dark', 'out'])
    expect(complaint).not.toMatch(/Words (of card|on a sheet)/)
    await page.evaluate("document.querySelectorAll('[id]').forEach((each) => each.remove())")
    await expectAccessible(page)
    await page.close()
  })
})
