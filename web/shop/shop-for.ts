import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { dataOf, foundIn, type RunPageOperation } from '../frame/page.ts'

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
 * where it has ended. Null: there is no such shop.
 */
export async function shopFor<Shop, Variables extends Record<string, unknown>>(
  run: RunPageOperation,
  session: string | null,
  [open, ofAccount]: ShopDocuments<Shop, Variables>,
  variables: Variables,
): Promise<Shop | null> {
  if (session !== null) {
    const answer = await run(ofAccount, { ...variables, account: session })
    // One that failed is no session that has ended: other prices must not stand in for it.
    const shop = foundIn(dataOf(answer).storefront?.forAccount, answer)
    if (shop) return shop
  }
  const answer = await run(open, variables)
  return foundIn(dataOf(answer).storefront, answer)
}
