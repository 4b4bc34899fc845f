import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { StaffRole } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import type { ParameterTable, ValuesOf } from '../../rest-facade/http/parameters.ts'
import type { AddressUse } from '../../rest-facade/store/caller/rate-limit.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { type IconName, icon } from '../frame/icon.ts'
import type { PathNames, RunPageOperation, WebPage } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import type { FormState } from './form-state.ts'
import type { OpenSession } from './session.ts'

/**
 * Addresses that used the rate limits of a store in the current minute, or are banned; the busiest
 * first.
 */
export type Uses = (storeCode: string) => Promise<readonly AddressUse[]>

/** A page of the console is made from checked parameters, and the graph as the owner sees it. */
export type ConsoleRequest<On extends string, Table extends ParameterTable> = {
  readonly path: Readonly<Record<PathNames<On>, string>>
  readonly query: ValuesOf<Table>
  readonly run: RunPageOperation
  readonly uses: Uses
  readonly site: Site
  readonly visit: Visit
  /** A field of the form on this page that was refused; empty when none was. */
  readonly typed: (field: string) => string
  /** A form of this page, by the path that it is sent to. */
  readonly form: (path: string) => FormState
}

/** A row of the console. */
export type ConsoleRow = {
  readonly path: string
  readonly label: string
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  readonly parameters: ParameterTable
  /** Scripts that it works better with, by file name. */
  readonly scripts?: readonly string[]
  /** Scopes and policies without which the page cannot be opened; all of them. */
  readonly needs: readonly string[]
  /** What its forms have done, by the word `done` of the address that they lead to. */
  readonly notices: LookupTable<string>
  /** Null for what does not exist. */
  body(request: ConsoleRequest<string, ParameterTable>): Promise<Html | null>
}

/** Ties the types of a row: `{x}` in the path types `path.x`, the table types `query`. */
export function consolePage<const On extends `/${string}`, const Table extends ParameterTable = Record<never, never>>(row: {
  readonly path: On
  readonly label: string
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  readonly parameters?: Table
  readonly scripts?: readonly string[]
  readonly needs?: readonly string[]
  readonly notices?: Readonly<Record<string, string>>
  readonly body: (request: ConsoleRequest<NoInfer<On>, NoInfer<Table>>) => Promise<Html | null>
}): ConsoleRow {
  const { notices = {}, needs = [] } = row
  return {
    ...row,
    needs,
    notices: lookupTable(notices),
    parameters: { ...row.parameters, done: { kind: 'enum', values: Object.keys(notices) } },
    // The interpreter has checked what the types of the row promise.
    body: (request) => row.body(request as unknown as ConsoleRequest<On, Table>),
  }
}

/** What stands before the links of the navigation. */
const ICONS: LookupTable<IconName> = lookupTable({
  '/console': 'gauge',
  '/console/reports': 'chart',
  '/console/orders': 'receipt',
  '/console/drafts': 'file',
  '/console/returns': 'return',
  '/console/products': 'package',
  '/console/transfers': 'copy',
  '/console/customers': 'users',
  '/console/imports': 'copy',
  '/console/price-lists': 'tag',
  '/console/promotions': 'percent',
  '/console/search': 'search',
  '/console/webhooks': 'webhook',
  '/console/apps': 'window',
  '/console/settings': 'settings',
  '/console/audit': 'list',
  '/console/access': 'key',
  '/console/staff': 'user',
})

/** A page with the navigation of the console. */
export const framed = (
  here: Pick<ConsoleRow, 'path' | 'label' | 'scripts'>,
  rows: readonly Pick<ConsoleRow, 'path' | 'label'>[],
  body: Html,
  { session, site }: { readonly session: OpenSession; readonly site: Site },
): WebPage => ({
  title: `${here.label} · Console`,
  description: 'Console of a store for its owner and staff.',
  scripts: here.scripts ?? [],
  body: html`<div class="console-head"><nav aria-label="Console">${rows.map(({ path, label }) => html`<a href="${site.at(path)}"${isIn(here, path) && html` aria-current="${path === here.path ? 'page' : 'true'}"`}>${icon(ICONS[path] ?? 'list')}${label}</a> `)}</nav>
${changeForm('/console/sign-out', session, site, html`${session.role !== null && html`<span class="quiet">${ROLE_LABELS[session.role]}</span> <a href="${site.at('/console/stores')}">Switch store</a> `}<button class="plain">Sign out</button>`)}</div>
<div class="console-body">${body}</div>`,
})

/** What people read for a role. */
export const ROLE_LABELS: Readonly<Record<StaffRole, string>> = {
  OWNER: 'Owner',
  MANAGER: 'Manager',
  CATALOGUE: 'Catalogue',
  FULFILLMENT: 'Fulfillment',
  SUPPORT: 'Support',
}

const FIRST = '/console'

/** Sections of pages whose address is not below that of their section. */
const SECTIONS: LookupTable<string> = lookupTable({
  '/console/currencies': '/console/settings',
  '/console/mail-texts': '/console/settings',
})

/** Whether a page is the one at `path`, or below it; all are below the first. */
const isIn = (here: Pick<ConsoleRow, 'path'>, path: string): boolean =>
  here.path === path || SECTIONS[here.path] === path || (path !== FIRST && here.path.startsWith(`${path}/`))
