import type { SchemaInputFragment, SchemaRefFragment, SchemaTypeFragment } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'
import { inline } from '../frame/prose.ts'
import type { Site } from '../frame/site.ts'

type Ref = Pick<SchemaRefFragment, 'kind' | 'name'> & { readonly ofType?: Ref | null }
export type SignatureField = NonNullable<SchemaTypeFragment['fields']>[number]

/** The name of a type inside its lists and what is not null. */
export const nameOf = ({ name, ofType }: { readonly name: string | null; readonly ofType?: Ref | null }): string | null =>
  ofType ? nameOf(ofType) : name

/** Path of a type's page. */
export const typePath = (name: string): string => `/schema/${name}`

/** `[Post!]!`, with the name as a link. */
export function reference({ kind, name, ofType }: Ref, site: Site): Html {
  if (kind === 'NON_NULL' && ofType) return html`${reference(ofType, site)}!`
  if (kind === 'LIST' && ofType) return html`[${reference(ofType, site)}]`
  return html`<a href="${site.at(typePath(name ?? ''))}">${name}</a>`
}

/** A field with its arguments, as a client reads it. */
export const fieldRow = (
  field: SignatureField,
  site: Site,
): Html => html`<dt id="${field.name}"><code class="signature"><a href="#${field.name}" class="name">${field.name}</a>${
  field.args.length > 0 &&
  html`(${field.args.map(({ name, type }, index) => html`${index > 0 && ', '}${name}: ${reference(type, site)}`)})`
}: ${reference(field.type, site)}</code>${deprecated(field.deprecationReason)}</dt>
<dd>${field.description && html`<p>${inline(field.description)}</p>`}${field.args.length > 0 && inputs(field.args, site)}</dd>`

/** Arguments, or the fields of an input. */
export const inputs = (values: readonly SchemaInputFragment[], site: Site): Html =>
  html`<dl class="inputs">${values.map(
    ({ name, type, defaultValue, description, deprecationReason }) =>
      html`<dt><code>${name}: ${reference(type, site)}${defaultValue !== null && html` = ${defaultValue}`}</code>${deprecated(deprecationReason)}</dt><dd>${description && inline(description)}</dd>`,
  )}</dl>`

/** Says that something is going away, and what to use instead. */
export const deprecated = (reason: string | null): Html | null =>
  reason === null ? null : html` <span class="mark-deprecated">deprecated</span> <span class="quiet">${inline(reason)}</span>`
