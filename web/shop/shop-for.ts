import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { ClientResult } from '../../gateway/client.ts'
import { dataOf, foundIn, type PageSession, type RunPageOperation } from '../frame/page.ts'

/** Operations that read the same of a shop: as anybody, and as the account of a session. */
export type ShopDocuments<Shop, Variables extends object> = readonly [
  open: TypedDocumentNode<{ readonly storefront: Shop | null }, Variables>,
  ofAccount: TypedDocumentNode<
    { readonly storefront: { readonly forAccount: Shop | null } | null },
    Variables & { readonly account: string }
  >,
]

/**
 * A shop as the account of a session sees it, at its prices; as anybody does without a session, and
 * where it has ended. In the currency of the visitor, or in that of the store where the shop does not
 * have it any more. Null: there is no such shop.
 */
export async function shopFor<Shop, Variables extends Record<string, unknown>>(
  run: RunPageOperation,
  session: PageSession | null,
  documents: ShopDocuments<Shop, Variables & { readonly currency: string | null }>,
  variables: Variables,
): Promise<Shop | null> {
  const { account = null, currency = null } = session ?? {}
  if (currency !== null) {
    const found = await shopIn(run, account, documents, { ...variables, currency })
    if (found !== 'no-currency') return found
  }
  const found = await shopIn(run, account, documents, { ...variables, currency: null })
  return found === 'no-currency' ? null : found
}

async function shopIn<Shop, Variables extends Record<string, unknown> & { readonly currency: string | null }>(
  run: RunPageOperation,
  account: string | null,
  [open, ofAccount]: ShopDocuments<Shop, Variables>,
  variables: Variables,
): Promise<Shop | null | 'no-currency'> {
  if (account !== null) {
    const answer = await run(ofAccount, { ...variables, account })
    if (isOfOtherCurrency(answer, variables)) return 'no-currency'
    // One that failed is no session that has ended: other prices must not stand in for it.
    const shop = foundIn(dataOf(answer).storefront?.forAccount, answer)
    if (shop) return shop
  }
  const answer = await run(open, variables)
  return isOfOtherCurrency(answer, variables) ? 'no-currency' : foundIn(dataOf(answer).storefront, answer)
}

/** Whether the shop does not sell in the currency: the argument is named in the message. */
export const isOfOtherCurrency = (
  { errors }: Pick<ClientResult<unknown>, 'errors'>,
  { currency }: { readonly currency: string | null },
): boolean =>
  currency !== null &&
  errors.some(({ extensions, message }) => extensions?.code === 'BAD_USER_INPUT' && message.includes('"currency"'))
