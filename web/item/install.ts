import type { ItemPageFragment } from '#generated/operations.ts'
import { codeBlock } from '../frame/code.ts'
import { type Html, html } from '../frame/html.ts'

type Config = ItemPageFragment['installConfigs'][number]
type Placeholder = Config['placeholders'][number]

/** How each format is coloured. */
const LANGUAGES: Readonly<Record<Config['format'], string>> = { COMMAND: 'sh', JSON: 'json', TOML: 'toml' }

/** Schemes of the clients that install by a link; others are not linked to. */
const CLIENT_LINK = /^(?:cursor:\/\/|vscode:)/

/**
 * The configuration of each client, one tab for each. Tabs are radio buttons: they need no script.
 * With one, values can be filled in, which stay in the browser.
 */
export function installTabs(configs: readonly Config[]): Html | null {
  if (configs.length < 2) return null
  return html`<section aria-labelledby="configure"><h2 id="configure">Configure a client</h2>
${form(configs)}
<fieldset class="tabs"><legend class="spoken">Client</legend>
${configs.map(tab)}
</fieldset></section>`
}

function tab({ client, clientName, format, file, content, deepLink }: Config, index: number): Html {
  const id = `client-${client.toLowerCase().replaceAll('_', '-')}`
  return html`<input type="radio" name="client" id="${id}" ${index === 0 && html`checked`}><label for="${id}">${clientName}</label>
<div class="panel"><p class="quiet">${placeOf(format, file)}</p>
${codeBlock({ id: `${id}-text`, text: content, language: LANGUAGES[format], label: `Configuration for ${clientName}`, breaks: true, fill: format })}
${deepLink !== null && CLIENT_LINK.test(deepLink) && html`<p><a class="button" href="${deepLink}" rel="nofollow" data-fill-link>Install in ${clientName}</a></p>`}</div>`
}

function placeOf(format: Config['format'], file: string | null): Html {
  if (format === 'COMMAND') return html`Run in a shell:`
  return file === null
    ? html`Most clients read this from a file of their own:`
    : html`${format === 'TOML' ? 'Append to' : 'Merge into'} <code>${file}</code>:`
}

/** Hidden without the script that it needs. It is no form: nothing in it can be sent. */
function form(configs: readonly Config[]): Html | null {
  const placeholders = new Map<string, Placeholder>()
  for (const config of configs) for (const each of config.placeholders) placeholders.set(each.text, each)
  if (placeholders.size === 0) return null
  return html`<div class="fill" id="fill" hidden><p class="quiet">Values that you fill in stay in this page: they are not sent or stored.</p>
${[...placeholders.values()].map(
  ({ text, variable, secret, description }, index) =>
    html`<p><label for="fill-${index}"><code>${variable ?? text}</code> ${description !== null && html`<span class="quiet">${description}</span>`}</label>
<input id="fill-${index}" type="${secret ? 'password' : 'text'}" data-fill-for="${text}" autocomplete="off" spellcheck="false" maxlength="2000"></p>`,
)}</div>`
}
