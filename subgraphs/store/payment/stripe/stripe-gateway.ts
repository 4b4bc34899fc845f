import { createHash } from 'node:crypto'
import type { Stripe } from 'stripe'
import { z } from 'zod'
import { deadline } from '../../../../platform/outbound/deadline.ts'
import { dnsClient } from '../../../../platform/outbound/dns-client.ts'
import { systemServers } from '../../../../platform/outbound/dns-servers.ts'
import { Fault } from '../../../../platform/outbound/fault.ts'
import { httpClient } from '../../../../platform/outbound/http-client.ts'
import { safeNetwork } from '../../../../platform/outbound/safe-connect.ts'
import { slots } from '../../../../platform/outbound/slots.ts'
import { MAX_CONCURRENT, TIMEOUT_MS } from '../external-gateway.ts'
import { type AuthorizeRequest, type Notification, type PaymentGateway, type PaymentNetwork, PaymentRefused } from '../gateway.ts'
import type { GatewayPayment } from '../payment.ts'
import type { GatewayAccess } from '../repository.ts'
import { minorUnitsOf } from './minor-units.ts'
import { paymentError } from './stripe-errors.ts'
import { stripeHttp } from './stripe-http.ts'
import { INTENT, OPERATION, type PaymentIntent, paymentOf, REFUND, type Refund, SESSION, type Session } from './stripe-payment.ts'

/** Version of the API that the types of the library are of; raised together with it. */
const API_VERSION = '2026-10-28.endive'
/** How old a signed notification may be. Seconds; Stripe's default. */
const SIGNATURE_TOLERANCE_SECONDS = 300
/**
 * When the page of a session ends, after the creation of the payment: orders wait less by default.
 * Stripe accepts 30 minutes to 24 hours from the request on; what is later than that is refused.
 */
const SESSION_SECONDS = 7_200
const REFUNDS_PER_PAGE = 100
const MAX_REFUNDS = 1_000
/** A shopper pays on a page of Stripe, whose payment intent is captured by us. */
const EXPANDED = ['payment_intent']

/** Runs requests of one operation, which end together. */
type Run = <Result>(gateway: GatewayAccess, work: (stripe: Stripe) => Promise<Result>) => Promise<Result>

/**
 * Stripe, by its own library: hosted checkout sessions, whose cards only Stripe sees, and payment
 * intents that are captured later. A payment's reference is the id of its session.
 */
export function stripeGateway(now: () => Date, options: PaymentNetwork): PaymentGateway {
  const network = safeNetwork({ resolvers: systemServers(), ...options })
  // All merchants have one host: with fewer connections than slots, one could hold up the others.
  const http = httpClient(network, dnsClient(network), {
    userAgent: 'atrium',
    maxRedirects: 0,
    connections: MAX_CONCURRENT.total,
  })
  const places = slots(MAX_CONCURRENT)

  const run: Run = async (gateway, work) => {
    const { signal, clear } = deadline(TIMEOUT_MS, new AbortController().signal)
    // The key itself would be named by the error of a full queue.
    const account = createHash('sha256').update(gateway.key).digest('hex').slice(0, 16)
    try {
      return await places.run(`Stripe account ${account}`, signal, async () => {
        // Loaded by the first payment: most installations never have one.
        const { Stripe: Library } = await import('stripe')
        const stripe = new Library(gateway.key, {
          apiVersion: API_VERSION,
          httpClient: stripeHttp(http, signal),
          timeout: TIMEOUT_MS,
          // Operations are retried by their jobs, under the same key.
          maxNetworkRetries: 0,
          telemetry: false,
          ...options.stripe,
        })
        return await work(stripe)
      })
    } catch (error) {
      throw paymentError(error)
    } finally {
      clear()
    }
  }

  return {
    authorize: (gateway, key, request) => run(gateway, (stripe) => authorize(stripe, key, request)),
    capture: (gateway, key, reference, amount) => run(gateway, (stripe) => capture(stripe, key, reference, amount)),
    voidOpen: (gateway, key, reference, amount) => run(gateway, (stripe) => voidOpen(stripe, key, reference, amount)),
    refund: (gateway, key, reference, amount) => run(gateway, (stripe) => refund(stripe, key, reference, amount)),
    find: (gateway, reference) => run(gateway, async (stripe) => stateOf(stripe, await sessionOf(stripe, reference))),
    notified: (gateway, headers, body) =>
      run(gateway, async (stripe) =>
        notificationOf(stripe, gateway.secret, { signature: headers['stripe-signature'], body, now: now() }),
      ),
    close: http.close,
  }
}

async function authorize(stripe: Stripe, key: string, request: AuthorizeRequest): Promise<GatewayPayment> {
  const { currency, order, returnUrl, createdAt } = request
  const metadata = { atrium_order: order }
  // The same in every attempt: Stripe refuses a key with another request.
  const session = await stripe.checkout.sessions.create(
    {
      mode: 'payment',
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: currency.toLowerCase(),
            unit_amount: minorAmount(request.amount, currency),
            product_data: { name: `Order ${order}` },
          },
        },
      ],
      payment_intent_data: { capture_method: 'manual', metadata },
      adaptive_pricing: { enabled: false },
      success_url: returnUrl,
      cancel_url: returnUrl,
      client_reference_id: order,
      metadata,
      expires_at: Math.floor(createdAt.getTime() / 1_000) + SESSION_SECONDS,
      expand: EXPANDED,
    },
    { idempotencyKey: key },
  )
  return paymentOf(parsed(SESSION, session), [])
}

async function capture(stripe: Stripe, key: string, reference: string, amount: string): Promise<GatewayPayment> {
  const session = await sessionOf(stripe, reference)
  const intent = intentOf(session)
  // Stripe knows a key for a day: a later attempt finds what the first one did.
  if (intent.status === 'succeeded') return stateOf(stripe, session)
  const captured = await stripe.paymentIntents.capture(
    intent.id,
    { amount_to_capture: minorAmount(amount, session.currency) },
    { idempotencyKey: key },
  )
  return paymentOf({ ...session, payment_intent: parsed(INTENT, captured) }, [])
}

async function voidOpen(stripe: Stripe, key: string, reference: string, amount: string): Promise<GatewayPayment> {
  const session = await sessionOf(stripe, reference)
  const intent = intentOf(session)
  if (intent.status === 'canceled') return paymentOf(session, [])
  if (minorAmount(amount, session.currency) < intent.amount)
    throw new PaymentRefused('Stripe voids whole authorizations only: a capture of a part voids the rest.')
  const canceled = await stripe.paymentIntents.cancel(intent.id, {}, { idempotencyKey: key })
  return paymentOf({ ...session, payment_intent: parsed(INTENT, canceled) }, [])
}

async function refund(stripe: Stripe, key: string, reference: string, amount: string): Promise<GatewayPayment> {
  const session = await sessionOf(stripe, reference)
  const intent = intentOf(session)
  const before = await refundsOf(stripe, intent)
  const known = before.find(({ metadata }) => metadata?.[OPERATION] === key)
  const made =
    known ??
    parsed(
      REFUND,
      await stripe.refunds.create(
        { payment_intent: intent.id, amount: minorAmount(amount, session.currency), metadata: { [OPERATION]: key } },
        { idempotencyKey: key },
      ),
    )
  if (made.status === 'failed' || made.status === 'canceled') throw new PaymentRefused(`Stripe: the refund is ${made.status}.`)
  return paymentOf(session, known ? before : await refundsOf(stripe, intent))
}

/** The payment of a session now. */
const stateOf = async (stripe: Stripe, session: Session): Promise<GatewayPayment> =>
  paymentOf(session, session.payment_intent?.status === 'succeeded' ? await refundsOf(stripe, session.payment_intent) : [])

const sessionOf = async (stripe: Stripe, reference: string): Promise<Session> =>
  parsed(SESSION, await stripe.checkout.sessions.retrieve(reference, { expand: EXPANDED }))

/** Newest first. */
async function refundsOf(stripe: Stripe, { id }: PaymentIntent): Promise<readonly Refund[]> {
  const list = stripe.refunds.list({ payment_intent: id, limit: REFUNDS_PER_PAGE })
  return (await list.autoPagingToArray({ limit: MAX_REFUNDS })).map((each) => parsed(REFUND, each))
}

function intentOf({ payment_intent: intent }: Session): PaymentIntent {
  if (intent === null) throw new PaymentRefused('Stripe: the shopper has not paid.')
  return intent
}

function minorAmount(amount: string, currency: string): number {
  const units = minorUnitsOf(amount, currency)
  if (units === null) throw new PaymentRefused(`Stripe has no amount of ${amount} ${currency.toUpperCase()}.`)
  return units
}

function parsed<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.infer<Schema> {
  const read = schema.safeParse(answer)
  if (!read.success) throw new Fault('malformed', z.prettifyError(read.error))
  return read.data
}

const EVENT = z.object({ data: z.object({ object: z.object({ object: z.string(), id: z.string() }).loose() }) })
const INTENT_ID = z.string().regex(/^pi_\w{1,190}$/)

/**
 * The payment that an event is about. Only ids of it are read: its snapshot may be old. An event of
 * a payment intent, a charge or a refund leads to its session by a request.
 */
async function notificationOf(
  { webhooks, checkout }: Stripe,
  secrets: string,
  { signature, body, now }: { readonly signature: unknown; readonly body: string; readonly now: Date },
): Promise<Notification> {
  const header = typeof signature === 'string' ? signature : ''
  const said = secrets.split(',').map((secret) => eventOf(webhooks, secret, { header, body, now }))
  if (said.every((each) => each === null))
    return { kind: 'unsigned', message: 'Expected a stripe-signature of this body by a payment method of this store.' }
  const event = EVENT.safeParse(said.find((each) => each !== null))
  if (!event.success) return { kind: 'unreadable', message: 'Expected an event of Stripe.' }
  const { object } = event.data.data
  if (object.object === 'checkout.session') return { kind: 'payment', reference: object.id }
  const intent = INTENT_ID.safeParse(object.object === 'payment_intent' ? object.id : object.payment_intent)
  if (!intent.success) return { kind: 'other' }
  const { data } = await checkout.sessions.list({ payment_intent: intent.data, limit: 1 }).catch(noneIfRefused)
  return data[0] ? { kind: 'payment', reference: data[0].id } : { kind: 'other' }
}

/** Events of test mode have payment intents that a key of live mode does not find. */
function noneIfRefused(error: unknown): { readonly data: readonly { readonly id: string }[] } {
  if (paymentError(error) instanceof PaymentRefused) return { data: [] }
  throw error
}

/** The event of a body; null: it is not signed with this secret, or too long ago. */
function eventOf(
  webhooks: Stripe['webhooks'],
  secret: string,
  { header, body, now }: { readonly header: string; readonly body: string; readonly now: Date },
): unknown {
  try {
    return webhooks.constructEvent(body, header, secret, SIGNATURE_TOLERANCE_SECONDS, undefined, now.getTime())
  } catch (error) {
    // Others are of the body, whose signature is checked before it is read.
    return error instanceof Error && 'type' in error && error.type === 'StripeSignatureVerificationError' ? null : 'unreadable'
  }
}
