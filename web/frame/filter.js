// A field that hides what does not have its words: elements with `data-filtered`, and sections without any left.
const place = document.querySelector('[data-filter]')
const count = document.querySelector('[data-filter-count]')
const entries = [...document.querySelectorAll('[data-filtered]')].map((element) => ({
  element,
  text: element.textContent.toLowerCase(),
}))
const sections = [...new Set(entries.map(({ element }) => element.closest('section')))].map((section) => {
  return { section, fold: section.querySelector('details') }
})
/** Sections that were open before the first word, to which an empty field returns. */
let wereOpen = null

/** Opens the section that the address names: a closed one would show its heading alone. */
const openNamed = () => {
  const fold = document.getElementById(location.hash.slice(1))?.closest('details.fold')
  if (fold) fold.open = true
}
addEventListener('hashchange', openNamed)
openNamed()

place.hidden = false
place.addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/).filter(Boolean)
  let shown = 0
  for (const { element, text } of entries) {
    element.hidden = !words.every((word) => text.includes(word))
    if (!element.hidden) shown += 1
  }
  if (words.length > 0) wereOpen ??= new Set(sections.filter(({ fold }) => fold?.open))
  for (const each of sections) {
    each.section.hidden = !each.section.querySelector('[data-filtered]:not([hidden])')
    if (each.fold && wereOpen) each.fold.open = words.length > 0 || wereOpen.has(each)
  }
  if (words.length === 0) wereOpen = null
  count.textContent = words.length === 0 ? '' : `${shown} of ${entries.length}`
})
