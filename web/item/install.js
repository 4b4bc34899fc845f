// Fills values of the reader into the configurations of a page. They never leave it.
const inputs = [...document.querySelectorAll('[data-fill-for]')]
const texts = [...document.querySelectorAll('[data-fill]')].map((element) => ({ element, template: element.textContent }))
const links = [...document.querySelectorAll('[data-fill-link]')].map((element) => ({ element, template: element.href }))

// The same words as subgraphs/directory/install-config looks for.
const PLACEHOLDER = /\bYOUR_\w+|\/path\/to\/[\w.-]+/g

/** The value as it stands inside the quotes, or the word, of its format. */
const WRITTEN = {
  JSON: (value) => JSON.stringify(value).slice(1, -1),
  TOML: (value) => JSON.stringify(value.toWellFormed()).slice(1, -1).replaceAll('\u007f', '\\u007f'),
  COMMAND: (value) => (/^[\w.@/:=+-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`),
}

function fill() {
  const values = new Map(inputs.filter(({ value }) => value !== '').map((input) => [input.dataset.fillFor, input.value]))
  const filled = (template, written) =>
    template.replace(PLACEHOLDER, (word) => (values.has(word) ? written(values.get(word)) : word))
  for (const { element, template } of texts) element.textContent = filled(template, WRITTEN[element.dataset.fill])
  for (const { element, template } of links) {
    // Only Cursor's link holds words to replace: base64 of JSON.
    const link = new URL(template)
    const encoded = link.searchParams.get('config')
    if (encoded === null) continue
    const json = filled(atob(encoded), WRITTEN.JSON)
    link.searchParams.set('config', btoa(String.fromCharCode(...new TextEncoder().encode(json))))
    element.href = link.href
  }
}

const form = document.getElementById('fill')
if (form) {
  form.hidden = false
  form.addEventListener('input', fill)
}
