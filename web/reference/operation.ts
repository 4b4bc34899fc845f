import { codeBlock, codeTabs } from '../frame/code.ts'
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
  successOf,
} from './contract.ts'
import { RECORDED_ORIGIN } from './recorded-responses.ts'
import { type SampleRequest, samplesOf } from './samples.ts'
import { bounds, describeType, example, properties } from './schema.ts'

/** An operation at its path. */
export type Placed = { readonly method: string; readonly path: string; readonly operation: ReferenceOperation }

/** All that is to be known to use an operation. */
export function operationShown({ method, path, operation }: Placed, contract: Contract, site: Site): Html {
  const { operationId: id, summary, description, deprecated } = operation
  const { parameters, type, media } = inputsOf(operation, contract)
  return html`<article class="operation" id="${id}">
<div>
<h3>${summary ?? id} <a class="anchor" href="#${id}" aria-label="Link to ${id}">#</a>${deprecated && html` <span class="mark-deprecated">deprecated</span>`}</h3>
<p class="endpoint"><span class="method method-${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
${description && prose(description)}
${
  parameters.length > 0 &&
  html`<h4>Parameters</h4><dl class="inputs">${parameters.map((each) => {
    const limits = each.schema ? bounds(followed(each.schema, contract)) : ''
    return html`<dt><code>${each.name}</code> <span class="quiet">in ${each.in}, ${each.schema ? describeType(each.schema, contract) : 'text'}${each.required && ', required'}${limits !== '' && `; ${limits}`}</span></dt><dd>${each.description && inline(each.description)}</dd>`
  })}</dl>`
}
${media?.schema && html`<h4>Body <span class="quiet">${type}</span></h4>${properties(media.schema, contract)}`}
<h4>Responses</h4>
${Object.entries(operation.responses).map(([status, response]) => answer(status, followed<Response>(response, contract), contract))}
</div>
<div class="samples">
${codeTabs(`${id}-language`, samplesOf(id, sampleRequest({ method, path, operation }, contract, site)))}
${sampleResponse(operation, contract, site)}
</div>
</article>`
}

/** More of a response is in its schema. */
const MAX_SAMPLE_RESPONSE_CHARACTERS = 6_000

/** The first response that is no refusal, as recorded or filled with examples; null: it has no body of JSON. */
function sampleResponse(operation: ReferenceOperation, contract: Contract, { publicUrl }: Site): Html | null {
  const id = operation.operationId
  const success = successOf(operation, contract)
  if (!success?.media.schema) return null
  const text = JSON.stringify(exampleBody(success.media, contract), null, 2).replaceAll(RECORDED_ORIGIN, publicUrl)
  if (text.length > MAX_SAMPLE_RESPONSE_CHARACTERS || !text.includes('\n')) return null
  return codeBlock({ id: `${id}-response`, language: 'json', label: `Response ${success.status} of ${id}`, text })
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

type Inputs = {
  readonly parameters: readonly ReferenceParameter[]
  /** Media type of the body and what it has; undefined without a body. */
  readonly type: string | undefined
  readonly media: Media | undefined
}

function inputsOf(operation: ReferenceOperation, contract: Contract): Inputs {
  const parameters = (operation.parameters ?? []).map((parameter) => followed<ReferenceParameter>(parameter, contract))
  const body = operation.requestBody && followed<Body>(operation.requestBody, contract)
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? []
  return { parameters, type, media }
}

/** A request for this, filled with examples. */
export function sampleRequest(
  { method, path, operation }: Placed,
  contract: Contract,
  { publicUrl }: Pick<Site, 'publicUrl'>,
): SampleRequest {
  const { parameters, type = '', media } = inputsOf(operation, contract)
  // What the operation is about: `apps` and not `countries` says what a code is.
  const parent = path.match(/^(?:\/v\d[\d.]*)?\/(\w+)/)?.[1] ?? ''
  const sampleOf = ({ name, schema, example: own }: ReferenceParameter) =>
    encoded(String(own ?? (schema ? example(schema, contract, { name, parent }) : '')))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
    return parameter ? sampleOf(parameter) : name
  })
  const inQuery = parameters.filter((each) => each.in === 'query')
  const required = inQuery.filter((each) => each.required)
  // All filters at once find nothing.
  const query = required.length > 0 ? required : inQuery.filter((each) => each.example !== undefined).slice(0, 1)
  return {
    method,
    address: `${publicUrl}${filled}${query.length > 0 ? `?${query.map((each) => `${encoded(each.name)}=${sampleOf(each)}`).join('&')}` : ''}`,
    credentials: credentials(operation, contract),
    body: media?.schema ? { type, value: exampleBody(media, contract) } : null,
  }
}

/** As a part of an address that stands between quotes of any language. */
const encoded = (part: string): string => encodeURIComponent(part).replaceAll("'", '%27')

const exampleBody = (media: Media, contract: Contract): unknown =>
  media.example ?? Object.values(media.examples ?? {})[0]?.value ?? (media.schema ? example(media.schema, contract) : {})
