// The language that a reader chose in one example is shown in all others, on every page of this browser.
const KEY = 'language'
const groups = [...document.querySelectorAll('[data-languages]')]

function show(language) {
  for (const group of groups) {
    const choice = group.querySelector(`input[value="${CSS.escape(language)}"]`)
    if (choice) choice.checked = true
  }
}

try {
  const language = localStorage.getItem(KEY)
  if (language) show(language)
} catch {
  // A browser that keeps nothing shows the first language.
}

for (const group of groups) {
  group.addEventListener('change', ({ target }) => {
    const before = group.getBoundingClientRect().top
    show(target.value)
    // Examples above have other heights now: what was clicked stays where it is.
    scrollBy({ top: group.getBoundingClientRect().top - before, behavior: 'instant' })
    try {
      localStorage.setItem(KEY, target.value)
    } catch {
      // It holds for this page then.
    }
  })
}
