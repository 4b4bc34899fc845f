/* global EXPLORER */
// What is sent with every operation. It is kept in this page only: neither stored nor part of the tabs that GraphiQL remembers.
// biome-ignore lint/correctness/noUnusedVariables: page.js reads it.
const credentials = (() => {
  const [own, signIn] = [document.getElementById('own'), document.getElementById('sign-in')]
  const [sent, said] = [document.getElementById('sent'), document.getElementById('said')]
  let headers = {}
  /** What people call them, by header. */
  let names = {}

  function use(header, value, name = header) {
    headers = { ...headers, [header]: value }
    names = { ...names, [header]: name }
    sent.textContent = Object.values(names).join(', ')
    own.elements.secret.value = ''
  }

  own.addEventListener('submit', (event) => {
    event.preventDefault()
    const { header, secret } = Object.fromEntries(new FormData(own))
    use(header, header === 'authorization' ? `Bearer ${secret}` : secret)
    said.textContent = `${header} is sent from now on. Subscriptions that run go on as before.`
  })
  document.getElementById('forget').addEventListener('click', () => {
    headers = {}
    names = {}
    sent.textContent = 'none'
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
      use('authorization', `Bearer ${data.login.token}`, data.login.user.name)
      said.textContent = `Signed in as ${data.login.user.name}, until ${new Date(data.login.expiresAt).toLocaleTimeString()}.`
    } catch {
      said.textContent = 'The server does not answer.'
    }
  })

  return () => headers
})()
