import { codeBlock } from '../frame/code.ts'
import { type Html, html } from '../frame/html.ts'
import { inline, prose } from '../frame/prose.ts'
import type { Site } from '../frame/site.ts'
import { credentials } from './caller.ts'
import {
  type Body,
  type Contract,
  followed,
  type Media,
  type ReferenceOperation,
  type ReferenceParameter,
  type Response,
} from './contract.ts'
import { bounds, describeType, example, properties } from './schema.ts'

/** An operation at its path. */
export type Placed = { readonly method: string; readonly path: string; readonly operation: ReferenceOperation }

/** All that is to be known to use an operation. */
export function operationShown({ method, path, operation }: Placed, contract: Contract, site: Site): Html {
  const { operationId: id, summary, description, deprecated } = operation
  const parameters = (operation.parameters ?? []).map((parameter) => followed<ReferenceParameter>(parameter, contract))
  const body = operation.requestBody && followed<Body>(operation.requestBody, contract)
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? []
  return html`<article class="operation" id="${id}">
<h3><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p><a href="#${id}">${summary ?? id}</a>${deprecated && html` <span class="mark-deprecated">deprecated</span>`}</p>
${description && prose(description)}
${
  parameters.length > 0 &&
  html`<h4>Parameters</h4><dl class="inputs">${parameters.map((each) => {
    const limits = each.schema ? bounds(followed(each.schema, contract)) : ''
    return html`<dt><code>${each.name}</code> <span class="quiet">in ${each.in}, ${each.schema ? describeType(each.schema, contract) : 'text'}${each.required && ', required'}${limits !== '' && `; ${limits}`}</span></dt><dd>${each.description && inline(each.description)}</dd>`
  })}</dl>`
}
${media?.schema && html`<h4>Body <span class="quiet">${type}</span></h4>${properties(media.schema, contract)}`}
<h4>Example</h4>
${codeBlock({ id: `${id}-example`, text: command({ method, path, operation }, { parameters, media, type }, contract, site), language: 'sh', label: `Example of ${id}` })}
<h4>Responses</h4>
${Object.entries(operation.responses).map(([status, response]) => answer(status, followed<Response>(response, contract), contract))}
</article>`
}

function answer(status: string, { description, content }: Response, contract: Contract): Html {
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  // Refusals share one shape, which the first section of the contract explains.
  const shape = media?.schema && status.startsWith('2') ? properties(media.schema, contract) : null
  const line = html`<strong>${status}</strong> ${inline(description)}${type && html` <span class="quiet">${type}</span>`}`
  return shape === null
    ? html`<p class="answer">${line}</p>`
    : html`<details class="answer"><summary>${line}</summary>${shape}</details>`
}

/** A command that asks this, to be pasted into a shell. */
function command(
  { method, path, operation }: Placed,
  {
    parameters,
    media,
    type,
  }: { readonly parameters: readonly ReferenceParameter[]; readonly media: Media | undefined; readonly type: string | undefined },
  contract: Contract,
  { publicUrl }: Site,
): string {
  const sampleOf = (parameter: ReferenceParameter) =>
    encodeURIComponent(String(parameter.example ?? (parameter.schema ? example(parameter.schema, contract) : '')))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
    return parameter ? sampleOf(parameter) : name
  })
  const query = parameters.filter((each) => each.in === 'query' && (each.required || each.example !== undefined))
  const address = `${publicUrl}${filled}${query.length > 0 ? `?${query.map((each) => `${each.name}=${sampleOf(each)}`).join('&')}` : ''}`
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${quoted(address)}`,
    ...credentials(operation, contract),
    ...(media?.schema ? [`-H 'content-type: ${type}'`, `-d ${quoted(JSON.stringify(exampleBody(media, contract)))}`] : []),
  ].join(' \\\n  ')
}

const exampleBody = (media: Media, contract: Contract): unknown =>
  media.example ?? Object.values(media.examples ?? {})[0]?.value ?? (media.schema ? example(media.schema, contract) : {})

/** A quote inside single quotes of a shell ends them, stands alone, and begins them again. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
