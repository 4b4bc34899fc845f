import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Stripe } from 'stripe'
import { decimalOf } from '../../../../subgraphs/store/payment/stripe/minor-units.ts'
import type { Faults } from './payment-gateway.ts'

type Refund = { readonly id: string; readonly amount: number; status: string; readonly metadata: Record<string, string> }
type Entry = {
  session: 'open' | 'complete' | 'expired'
  intent: string | null
  status: string
  readonly currency: string
  readonly amount: number
  readonly order: string
  /** Unix seconds. */
  readonly expiresAt: number
  readonly returnUrl: string
  received: number
  charge: string | null
  readonly refunds: Refund[]
}
/** A request that was carried out: names of its parameters, our answer, and that of stripe-mock. */
export type Exchange = {
  readonly route: string
  readonly sent: readonly string[]
  readonly answer: unknown
  readonly mirrored: { readonly status: number; readonly body: unknown } | null
}
type Answer = { readonly status: number; readonly body: string }

/** Faults of Stripe only. */
export type StripeFaults = Faults & {
  /** The next requests are too many. */
  rateLimit?: number
  /** What the next requests to read ask for is not there, such as an object of the other mode. */
  missing?: number
  /** The next answers are JSON, and no object. */
  nothing?: number
}

const API_VERSION = '2026-10-28.endive'
const refusal = (status: number, error: object): Answer => ({ status, body: JSON.stringify({ error }) })
const invalid = (code: string): Answer => refusal(400, { type: 'invalid_request_error', code, message: `No: ${code}.` })

/**
 * Stripe's API on loopback as far as Atrium speaks it, with a ledger of its own: checkout sessions
 * with their page, payment intents, refunds, keys of idempotency, errors and signed events. Shapes
 * are those that stripe-mock has from the published document: `stripe-contract.json`.
 */
export async function stripeServer(
  { key, secret }: { readonly key: string; readonly secret: string },
  /** Where stripe-mock is, which every request that is carried out is sent to as well. */
  mirror?: string,
) {
  const sessions = new Map<string, Entry>()
  const answers = new Map<string, { readonly request: string; readonly answer: Answer }>()
  const faults: StripeFaults = {}
  const requests: { path: string; key: string | undefined }[] = []
  const exchanges: Exchange[] = []
  const takes = (fault: keyof StripeFaults): boolean => {
    const left = faults[fault] ?? 0
    faults[fault] = Math.max(0, left - 1)
    return left > 0
  }
  const entry = (id: string): Entry => {
    const found = sessions.get(id)
    if (!found) throw new Error(`Expected a session, got ${id}.`)
    return found
  }
  let held = { left: 0, gate: Promise.withResolvers<void>() }
  /** Waits until as many requests are there as the test wants at once. */
  const arrived = async () => {
    held.left -= 1
    if (held.left === 0) held.gate.resolve()
    if (held.left >= 0) await held.gate.promise
  }
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const url = new URL(request.url ?? '', origin())
    const page = /^\/c\/pay\/(\w+)$/.exec(url.pathname)?.[1]
    if (page !== undefined) return showPage(response, page, new URLSearchParams(body).get('card'))
    const say = ({ status, body: said }: Answer) => response.writeHead(status, { 'content-type': 'application/json' }).end(said)
    await arrived()
    if (request.headers.authorization !== `Bearer ${key}`) return say(refusal(401, { type: 'invalid_request_error' }))
    if (request.headers['stripe-version'] !== API_VERSION) return say(invalid('version'))
    if (takes('unavailable')) return say(refusal(503, { type: 'api_error' }))
    if (takes('nothing')) return say({ status: 200, body: 'null' })
    if (takes('rateLimit')) return say(refusal(429, { type: 'invalid_request_error', code: 'rate_limit' }))
    const once = request.headers['idempotency-key'] as string | undefined
    requests.push({ path: url.pathname, key: once })
    if (request.method === 'GET') {
      const answer = takes('missing') ? refusal(404, { type: 'invalid_request_error', code: 'resource_missing' }) : read(url)
      await note(request, url, body, answer)
      return say(answer)
    }
    if (once === undefined) return say(invalid('idempotency_key'))
    const content = `${url.pathname}\n${body}`
    const before = answers.get(once)
    if (before && before.request !== content) return say(refusal(400, { type: 'idempotency_error' }))
    const answer =
      before?.answer ??
      (takes('refuse')
        ? refusal(402, {
            type: 'card_error',
            code: 'card_declined',
            decline_code: 'insufficient_funds',
            message: '4242 was declined',
          })
        : carryOut(url.pathname, new URLSearchParams(body)))
    if (!before) await note(request, url, body, answer)
    answers.set(once, { request: content, answer })
    if (takes('loseAnswer')) return response.destroy()
    say(answer)
  })

  const note = async ({ method = '', headers }: IncomingMessage, url: URL, body: string, answer: Answer) => {
    if (answer.status !== 200) return
    const parameters = [...url.searchParams.keys(), ...new URLSearchParams(body).keys()]
    const sent = parameters.map((name) => name.replace(/\[\d+\]/g, '[]'))
    const route = `${method} ${url.pathname.replace(/(?<=\/)(cs|pi)_\w+/, '{id}')}`
    const mirrored =
      mirror === undefined
        ? null
        : await fetch(`${mirror}${url.pathname}${url.search}`, {
            method,
            headers: { authorization: String(headers.authorization), 'content-type': 'application/x-www-form-urlencoded' },
            ...(method === 'POST' && { body }),
          })
    exchanges.push({
      ...{ route, sent, answer: JSON.parse(answer.body) },
      mirrored: mirrored && { status: mirrored.status, body: await mirrored.json() },
    })
  }
  const ok = (body: object): Answer => ({ status: 200, body: JSON.stringify(body) })
  const shownIntent = ({ intent: id, status, amount, received, charge }: Entry) => ({
    ...{ id, object: 'payment_intent', status, amount, capture_method: 'manual' },
    ...{ amount_capturable: status === 'requires_capture' ? amount : 0, amount_received: received, latest_charge: charge },
  })
  const shownSession = (id: string) => {
    const each = entry(id)
    const { session: status, currency, amount, intent } = each
    const url = status === 'open' ? `${origin()}/c/pay/${id}` : null
    const shown = {
      id,
      object: 'checkout.session',
      mode: 'payment',
      livemode: false,
      status,
      url,
      currency,
      amount_total: amount,
    }
    return { ...shown, payment_intent: intent === null ? null : shownIntent(each) }
  }
  const ofIntent = (intent: string | null) => [...sessions].find(([, each]) => each.intent !== null && each.intent === intent)
  const read = ({ pathname, searchParams }: URL): Answer => {
    const intent = searchParams.get('payment_intent')
    const list = (path: string, data: readonly object[]) => ok({ object: 'list', url: path, has_more: false, data })
    const [, id = ''] = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(pathname) ?? []
    if (sessions.has(id)) return ok(shownSession(id))
    const [found, its] = ofIntent(intent) ?? []
    if (pathname === '/v1/checkout/sessions')
      return list(pathname, found === undefined ? [] : [{ ...shownSession(found), payment_intent: intent }])
    if (pathname === '/v1/refunds')
      return list(
        pathname,
        (its?.refunds ?? []).map((refund) => ({ object: 'refund', ...refund })),
      )
    return refusal(404, { type: 'invalid_request_error', code: 'resource_missing' })
  }
  const carryOut = (path: string, form: URLSearchParams): Answer => {
    if (path === '/v1/checkout/sessions') return create(form)
    if (path === '/v1/refunds') return refund(form)
    const [, intent = '', action = ''] = /^\/v1\/payment_intents\/(\w+)\/(capture|cancel)$/.exec(path) ?? []
    const [, its] = ofIntent(intent) ?? []
    if (!its) return refusal(404, { type: 'invalid_request_error', code: 'resource_missing' })
    if (its.status !== 'requires_capture') return invalid('payment_intent_unexpected_state')
    if (action === 'cancel') its.status = 'canceled'
    else {
      const amount = Number(form.get('amount_to_capture'))
      if (amount > its.amount) return invalid('amount_too_large')
      Object.assign(its, { status: 'succeeded', received: amount })
      // What is not captured is released, and can be seen as a refund that nobody asked for.
      if (amount < its.amount)
        its.refunds.unshift({
          id: `re_${randomUUID().replaceAll('-', '')}`,
          amount: its.amount - amount,
          status: 'succeeded',
          metadata: {},
        })
    }
    return ok(shownIntent(its))
  }
  const create = (form: URLSearchParams): Answer => {
    const price = (name: string) => form.get(`line_items[0][price_data][${name}]`) ?? ''
    const amount = Number(price('unit_amount'))
    if (form.get('payment_intent_data[capture_method]') !== 'manual') return invalid('capture_method')
    if (amount < 50) return invalid('amount_too_small')
    if (amount > 99_999_999) return invalid('amount_too_large')
    const expiresAt = Number(form.get('expires_at'))
    if (!Number.isInteger(expiresAt) || expiresAt === 0) return invalid('expires_at')
    const id = `cs_test_${randomUUID().replaceAll('-', '')}`
    sessions.set(id, {
      ...{ session: 'open', intent: null, status: 'requires_payment_method', currency: price('currency'), amount, received: 0 },
      ...{
        expiresAt,
        order: form.get('client_reference_id') ?? '',
        returnUrl: form.get('success_url') ?? '',
        charge: null,
        refunds: [],
      },
    })
    return ok(shownSession(id))
  }
  const refund = (form: URLSearchParams): Answer => {
    const [, its] = ofIntent(form.get('payment_intent')) ?? []
    const amount = Number(form.get('amount'))
    if (its?.status !== 'succeeded') return invalid('charge_not_captured')
    if (amount > its.received - refundedOf(its)) return invalid('charge_already_refunded')
    return ok({ object: 'refund', ...give(its, amount, { atriumOperation: form.get('metadata[atriumOperation]') ?? '' }) })
  }
  const give = (its: Entry, amount: number, metadata: Record<string, string>): Refund => {
    const made = { id: `re_${randomUUID().replaceAll('-', '')}`, amount, status: 'succeeded', metadata }
    its.refunds.unshift(made)
    return made
  }
  const refundedOf = ({ refunds, amount, received }: Entry) =>
    refunds.filter(({ status }) => status !== 'failed').reduce((sum, each) => sum + each.amount, 0) -
    (received > 0 ? amount - received : 0)
  /** The page where shoppers type their card: `card` is what they typed. */
  const showPage = (response: ServerResponse, id: string, card: string | null): void => {
    const its = sessions.get(id)
    if (its?.session !== 'open') return void response.writeHead(404).end('This page has ended.')
    if (card === null)
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<form method="post"><input name="card"></form>')
    its.intent ??= `pi_${randomUUID().replaceAll('-', '')}`
    its.charge = `ch_${randomUUID().replaceAll('-', '')}`
    if (card === 'declined') return void response.writeHead(200).end('Your card was declined.')
    Object.assign(its, { session: 'complete', status: 'requires_capture' })
    response.writeHead(303, { location: its.returnUrl }).end()
  }
  const pay = async (id: string, card: string) => {
    const { status } = await fetch(`${origin()}/c/pay/${id}`, {
      method: 'POST',
      body: new URLSearchParams({ card }),
      redirect: 'manual',
    })
    return status
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: origin(),
    api: { protocol: 'http' as const, host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    faults,
    requests,
    exchanges,
    /** Stripe knows keys for a day. */
    forgetKeys: () => answers.clear(),
    ids: () => [...sessions.keys()],
    /** In minor units. */
    amountOf: (id: string) => entry(id).amount,
    intentOf: (id: string) => entry(id).intent ?? '',
    /** When the page of a session ends, in Unix seconds. */
    expiresAt: (id: string) => entry(id).expiresAt,
    /** The next requests are answered once there are `count` of them. */
    holdUntil(count: number) {
      held = { left: count, gate: Promise.withResolvers() }
    },
    pay,
    /** What the merchant pays back on Stripe's own pages. */
    refundByHand: (id: string, amount: number) => give(entry(id), amount, {}),
    /** The bank sends the newest refund of this amount back. */
    failRefund(id: string, amount: string) {
      const { refunds, currency } = entry(id)
      const failing = refunds.find((each) => each.status === 'succeeded' && decimalOf(each.amount, currency) === amount)
      if (!failing) throw new Error(`Expected a refund of ${amount}.`)
      failing.status = 'failed'
    },
    /** The hold of an authorization ends, or the shopper took too long. */
    expire(id: string) {
      const its = entry(id)
      if (its.session === 'open') its.session = 'expired'
      if (its.status === 'requires_capture') its.status = 'canceled'
    },
    shown(id: string) {
      const its = entry(id)
      const text = (amount: number) => decimalOf(amount, its.currency)
      const isHeld = ['requires_capture', 'succeeded'].includes(its.status) || (its.status === 'canceled' && its.charge !== null)
      const [authorized, captured] = [isHeld ? its.amount : 0, its.received]
      const voided = isHeld && its.status !== 'requires_capture' ? authorized - captured : 0
      return { authorized: text(authorized), captured: text(captured), voided: text(voided), refunded: text(refundedOf(its)) }
    },
    /** Header and body of an event; its snapshot is older than the event. */
    event(object: object, at: Date, by = secret) {
      const body = JSON.stringify({ id: `evt_${randomUUID()}`, object: 'event', type: 'any', data: { object } })
      const timestamp = Math.floor(at.getTime() / 1000)
      return {
        body,
        headers: { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: body, secret: by, timestamp }) },
      }
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
