// Search as you type. The page of the results is fetched and its region put in place of ours: one renderer, on the server.
const form = document.querySelector('form[data-search]')
const box = form.elements.q
const hint = document.querySelector('[data-hint]')
const WAIT_MILLISECONDS = 120
let waiting
let asked
let shown = here()

hint.hidden = matchMedia('(pointer: coarse)').matches

form.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(show, WAIT_MILLISECONDS)
})

async function show() {
  const parameters = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim() !== ''))
  const address = `${form.action}${parameters.size === 0 ? '' : `?${parameters}`}`
  asked?.abort()
  const mine = new AbortController()
  asked = mine
  const region = document.getElementById('results')
  region?.classList.add('is-loading')
  try {
    const answer = await fetch(address, { signal: mine.signal })
    const found = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const fresh = found.getElementById('results')
    if (!fresh) return say(refusalIn(found))
    for (const each of document.querySelectorAll('[data-resting]')) each.remove()
    say(found.querySelector('[role="status"]'))
    if (region) renew(region, fresh)
    else document.getElementById('content').append(fresh)
    document.title = found.title
    // The first word on another page makes an entry, so that "back" leads there again; further ones change it.
    if (location.pathname === new URL(form.action).pathname) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
    shown = here()
  } catch {
    // The next letter has asked already; anything else leaves the form, which works without us.
  } finally {
    if (asked === mine) region?.classList.remove('is-loading')
  }
}

/**
 * Makes an element what another one is. Parts that are alike stay: with each letter most results do, and only what is put into
 * the page is laid out again.
 */
function renew(old, fresh) {
  if (old.isEqualNode(fresh)) return
  const [tag, freshTag] = [old, fresh].map((each) => each.cloneNode(false))
  tag.classList.remove('is-loading')
  tag.open = freshTag.open
  if (!CONTAINERS.has(old.localName) || !tag.isEqualNode(freshTag)) return old.replaceWith(fresh)
  const [before, after] = [[...old.children], [...fresh.children]]
  for (const [index, each] of before.entries()) {
    if (index < after.length) renew(each, after[index])
    else each.remove()
  }
  old.append(...after.slice(before.length))
}

/** Elements that have no text of their own. */
const CONTAINERS = new Set(['div', 'aside', 'section', 'details', 'ul', 'li'])

/** What there is to be told below the box, in place of what was told there before; null is nothing. */
function say(status) {
  for (const each of document.querySelectorAll('[role="status"]')) each.remove()
  if (status) form.closest('search').after(status)
}

/** What a page without results says. */
function refusalIn(found) {
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  status.textContent = `${found.querySelector('h1')?.textContent ?? 'The search does not answer at the moment'}.`
  return status
}

/** The page that the address names, wherever on it. */
function here() {
  return location.pathname + location.search
}

// Links to a place on this page make entries as well, and lead nowhere else.
addEventListener('popstate', () => {
  if (here() !== shown) location.reload()
})

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
