import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { ParameterTable, ValuesOf } from '../../rest-facade/http/parameters.ts'
import { type Html, html } from '../frame/html.ts'
import type { Ask, Page } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { FORM_TOKEN, type Visit } from './session.ts'

/** A page of the console is made from checked parameters, and the graph as the owner sees it. */
export type ConsoleRequest<Table extends ParameterTable> = {
  readonly query: ValuesOf<Table>
  readonly ask: Ask
  readonly site: Site
  readonly visit: Visit
}

/** A row of the console. */
export type ConsoleRow = {
  readonly path: string
  readonly label: string
  readonly asks: readonly TypedDocumentNode<unknown, never>[]
  readonly parameters: ParameterTable
  body(request: ConsoleRequest<ParameterTable>): Promise<Html>
}

/** Ties the types of a row: the table types `query`. */
export function consolePage<const Table extends ParameterTable = Record<never, never>>(row: {
  readonly path: string
  readonly label: string
  readonly asks: readonly TypedDocumentNode<unknown, never>[]
  readonly parameters?: Table
  readonly body: (request: ConsoleRequest<NoInfer<Table>>) => Promise<Html>
}): ConsoleRow {
  return {
    ...row,
    parameters: row.parameters ?? {},
    // The interpreter has checked what the types of the row promise.
    body: (request) => row.body(request as unknown as ConsoleRequest<Table>),
  }
}

/** A form that changes something: only from a page of this visit. */
export const changeForm = (path: string, { formToken }: Visit, { at }: Site, fields: Html): Html =>
  html`<form method="post" action="${at(path)}"><input type="hidden" name="${FORM_TOKEN}" value="${formToken}">${fields}</form>`

/** A page between the ways through the console. */
export const framed = (
  here: Pick<ConsoleRow, 'path' | 'label'>,
  rows: readonly Pick<ConsoleRow, 'path' | 'label'>[],
  body: Html,
  { visit, site }: { readonly visit: Visit; readonly site: Site },
): Page => ({
  title: `${here.label} · Console`,
  description: 'The console of a store, for its owner.',
  body: html`<div class="console-head"><nav aria-label="Console">${rows.map(({ path, label }) => html`<a href="${site.at(path)}"${path === here.path && html` aria-current="page"`}>${label}</a> `)}</nav>
${changeForm('/console/sign-out', visit, site, html`<button class="plain">Sign out</button>`)}</div>
${body}`,
})
