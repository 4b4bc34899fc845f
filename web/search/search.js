// Search as you type. The page of the results is fetched and its region put in place of ours: one renderer, on the server.
const form = document.querySelector('form[data-search]')
const box = form.elements.q
const hint = document.querySelector('[data-hint]')
const WAIT_MILLISECONDS = 120
let waiting
let asked

hint.hidden = matchMedia('(pointer: coarse)').matches

form.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(show, WAIT_MILLISECONDS)
})

async function show() {
  const parameters = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim() !== ''))
  const address = `${form.action}${parameters.size === 0 ? '' : `?${parameters}`}`
  asked?.abort()
  asked = new AbortController()
  const region = document.getElementById('results')
  region?.classList.add('is-loading')
  try {
    const answer = await fetch(address, { signal: asked.signal })
    const found = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const fresh = found.getElementById('results')
    if (!fresh) return
    for (const each of document.querySelectorAll('[role="status"], [data-resting]')) each.remove()
    const status = found.querySelector('[role="status"]')
    if (status) form.closest('search').after(status)
    if (region) region.replaceWith(fresh)
    else document.getElementById('content').append(fresh)
    document.title = found.title
    // The first word on another page makes an entry, so that "back" leads there again; further ones change it.
    if (location.pathname === new URL(form.action).pathname) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
  } catch (error) {
    // The next letter has asked already; anything else leaves the form, which works without us.
    if (error.name !== 'AbortError') region?.classList.remove('is-loading')
  }
}

addEventListener('popstate', () => location.reload())

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const isTyping = event.target.matches('input, select, textarea')
  if (event.key === '/' && !isTyping) {
    event.preventDefault()
    box.focus()
    box.select()
  } else if (event.key === 'Escape' && event.target !== box) {
    box.focus()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const links = [...document.querySelectorAll('#results .card h3 a')]
    const here = links.indexOf(document.activeElement)
    if (here === -1 && (document.activeElement !== box || event.key === 'ArrowUp')) return
    event.preventDefault()
    const next = here + (event.key === 'ArrowDown' ? 1 : -1)
    if (next < 0) box.focus()
    else links[Math.min(next, links.length - 1)]?.focus()
  }
})
