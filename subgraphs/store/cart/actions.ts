import { randomBytes } from 'node:crypto'
import { notFoundError, type Problem, problem, validationError } from '../../toolkit/validation.ts'
import { changedGiftCards } from '../gift-card/actions.ts'
import { newSecretToken, secretTokenHash } from '../secret-token.ts'
import { storeRepository } from '../store/repository.ts'
import { storeCurrencyRepository } from '../store-currency/repository.ts'
import { currencyIn } from '../store-currency/store-currency.ts'
import { conflictError, type StoreQuery, type UnitOfWork } from '../write.ts'
import { type CartChange, type CartLineInput, cartProblems, changedCart, EMPTY_CART, withoutPerson } from './cart.ts'
import { cartRepository } from './repository.ts'

export { newSecretToken as newCartToken, secretTokenHash as cartTokenHash }

const newLineId = (): string => randomBytes(9).toString('base64url')

/** Creates a cart that `token` opens. */
export async function createCart(
  { query, storeId, now }: UnitOfWork,
  token: string,
  {
    lines,
    language,
    currency,
  }: {
    readonly lines?: readonly CartLineInput[] | null | undefined
    readonly language?: string | null | undefined
    readonly currency?: string | null | undefined
  },
) {
  const change: CartChange = {
    addLines: (lines ?? []).map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity })),
  }
  const problems = cartProblems(change).map(({ field, message }) => renamed(field, message))
  if (problems.length > 0) return validationError(problems)
  const languages = language == null ? [] : (await storeRepository(query).languagesOf([storeId])).map(({ code }) => code)
  if (language != null && !languages.includes(language))
    return validationError([problem('language', `a language of the shop (${languages.join(', ')})`, language)])
  const chosen = await cartCurrency({ query, storeId }, currency)
  if ('problem' in chosen) return validationError([chosen.problem])
  const changed = changedCart({ ...EMPTY_CART, language: language ?? null, ...chosen }, change, newLineId)
  if ('problem' in changed) return validationError([renamed(changed.problem.field, changed.problem.message)])
  await cartRepository(query).insert(storeId, hashOf(token), changed.contents, now)
  return { __typename: 'CreateStorefrontCartSuccess' as const, token }
}

/** Changes an open cart. */
export async function updateCart(unit: UnitOfWork, token: string, input: CartChange) {
  const { query, storeId, now } = unit
  const problems = cartProblems(input)
  if (problems.length > 0) return validationError(problems)
  const chosen = input.currency === undefined ? null : await cartCurrency(unit, input.currency)
  if (chosen && 'problem' in chosen) return validationError([chosen.problem])
  const change = { ...input, ...chosen }
  const carts = cartRepository(query)
  const cart = await carts.lockByToken(storeId, hashOf(token))
  if (!cart) return notFoundError('cart', token)
  if (cart.status !== 'OPEN') return conflictError('This cart has been ordered; create a new one.')
  const changed = changedCart(cart.contents, change, newLineId)
  if ('problem' in changed) return validationError([changed.problem])
  const giftCards = await changedGiftCards(unit, changed.contents, change)
  if ('problem' in giftCards) return validationError([giftCards.problem])
  await carts.update(storeId, cart.id, { ...changed.contents, giftCards: giftCards.ids }, now)
  return { __typename: 'UpdateStorefrontCartSuccess' as const, token }
}

/** Copies what an abandoned cart has into a new one that `token` opens. */
export async function recoverCart({ query, storeId, now }: UnitOfWork, token: string, secret: string) {
  const carts = cartRepository(query)
  const abandoned = /^[\w-]{32}$/.test(secret) ? await carts.byAbandonedOrder(storeId, secret) : null
  if (!abandoned) return notFoundError('abandoned cart', secret)
  if (abandoned.status !== 'OPEN') return conflictError('This cart has been ordered.')
  await carts.insert(storeId, hashOf(token), withoutPerson(abandoned.contents), now)
  return { __typename: 'RecoverStorefrontCartSuccess' as const, token }
}

/** The currency of a cart with this code, null for the store's own; or its problem. */
async function cartCurrency(
  { query, storeId }: StoreQuery,
  code: string | null | undefined,
): Promise<{ readonly currency: string | null } | { readonly problem: Problem }> {
  if (code == null) return { currency: null }
  const [[store], others] = await Promise.all([
    storeRepository(query).findByIds([storeId]),
    storeCurrencyRepository(query).all(storeId),
  ])
  const found = currencyIn(store?.currency ?? '', others, code)
  return 'problem' in found ? found : { currency: found.exchange && found.code }
}

const hashOf = (token: string): Buffer => secretTokenHash(token) ?? Buffer.alloc(0)

/** Lines of a new cart have the name of its own input. */
const renamed = (field: string, message: string) => ({
  field: field.replace(/^addLines/, 'lines'),
  message: message.replace('"addLines', '"lines'),
})
