/* global EXPLORER */
// What is sent with every operation. It is kept in this page, and where its user wants that in the storage of this tab; never in the
// tabs that GraphiQL remembers.
// biome-ignore lint/correctness/noUnusedVariables: page.js reads it.
const credentials = (() => {
  const STORED = 'atrium-explorer-credentials'
  const [own, signIn] = [document.getElementById('own'), document.getElementById('sign-in')]
  const [sent, said] = [document.getElementById('sent'), document.getElementById('said')]
  /** Secrets, and what people call them, by header. */
  let used = stored()

  for (const { header, label } of EXPLORER.keys) {
    const field = document.createElement('label')
    field.append(label)
    const input = document.createElement('input')
    Object.assign(input, { name: header, type: 'password', autocomplete: 'off', maxLength: 4000 })
    field.append(input)
    document.getElementById('keys').append(field)
  }
  own.elements.remember.checked = Object.keys(used).length > 0

  function stored() {
    try {
      return JSON.parse(sessionStorage.getItem(STORED)) ?? {}
    } catch {
      // A browser that keeps nothing, or something that is not ours.
      return {}
    }
  }

  function keep() {
    sent.textContent =
      Object.values(used)
        .map(({ name }) => name)
        .join(', ') || 'none'
    try {
      if (own.elements.remember.checked && Object.keys(used).length > 0) sessionStorage.setItem(STORED, JSON.stringify(used))
      else sessionStorage.removeItem(STORED)
    } catch {
      // They hold until the page is closed then.
    }
  }
  keep()

  own.addEventListener('submit', (event) => {
    event.preventDefault()
    for (const { header, label, prefix = '' } of EXPLORER.keys) {
      const input = own.elements[header]
      if (input.value !== '') used = { ...used, [header]: { value: `${prefix}${input.value}`, name: label } }
      input.value = ''
    }
    keep()
    said.textContent = `${sent.textContent}: sent from now on. Subscriptions that run go on as before.`
  })
  own.elements.remember.addEventListener('change', keep)
  document.getElementById('forget').addEventListener('click', () => {
    used = {}
    keep()
    said.textContent = 'Nothing is sent any more.'
  })

  // Only graphs whose operation we know can be signed in to.
  signIn.hidden = EXPLORER.signIn === null
  signIn.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { email, password } = Object.fromEntries(new FormData(signIn))
    try {
      const answer = await fetch(location.pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: EXPLORER.signIn, variables: { email, password } }),
      })
      const { data, errors } = await answer.json()
      if (!data?.login?.token) {
        said.textContent = data?.login?.message ?? errors?.[0]?.message ?? 'That did not work.'
        return
      }
      signIn.reset()
      used = { ...used, authorization: { value: `Bearer ${data.login.token}`, name: data.login.user.name } }
      keep()
      said.textContent = `Signed in as ${data.login.user.name}, until ${new Date(data.login.expiresAt).toLocaleTimeString()}.`
    } catch {
      said.textContent = 'The server does not answer.'
    }
  })

  return () => Object.fromEntries(Object.entries(used).map(([header, { value }]) => [header, value]))
})()
