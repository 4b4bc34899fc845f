import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { amountOf, textOf } from '../../../../subgraphs/store/amount.ts'

type Entry = {
  status: 'pending' | 'requires_action' | 'authorized' | 'failed'
  readonly amount: bigint
  readonly notificationUrl: string
  authorized: bigint
  captured: bigint
  voided: bigint
  /** With refunds that failed later. */
  refunded: bigint
  refundsFailed: bigint
}

/** What goes wrong with the next requests, each fault once. */
export type Faults = {
  /** The request is carried out, and its answer is lost. */
  loseAnswer?: number
  /** Nothing is carried out: status 503. */
  unavailable?: number
  /** Refused for good: status 402. */
  refuse?: number
}

/**
 * A payment gateway as its protocol demands, on loopback, with a ledger of its own. Payments whose
 * amount ends in .03 want 3-D Secure, those that end in .05 are declined.
 */
export async function paymentGateway({ key, secret }: { readonly key: string; readonly secret: string }) {
  const payments = new Map<string, Entry>()
  const answers = new Map<string, string>()
  const faults: Faults = {}
  const requests: { path: string; key: string | undefined }[] = []
  const takes = (fault: keyof Faults): boolean => {
    const left = faults[fault] ?? 0
    faults[fault] = Math.max(0, left - 1)
    return left > 0
  }
  const shown = (id: string) => {
    const { status, authorized, captured, voided, refunded, refundsFailed } = entry(id)
    const amounts = {
      authorized: textOf(authorized),
      captured: textOf(captured),
      voided: textOf(voided),
      refunded: textOf(refunded - refundsFailed),
    }
    return { id, status, redirect_url: status === 'requires_action' ? `https://bank.example/confirm/${id}` : null, ...amounts }
  }
  /** The same as the protocol has it: sums that never decrease. */
  const answered = (id: string) => {
    const { refunded, refundsFailed } = entry(id)
    const failures = refundsFailed === 0n ? {} : { refunds_failed: textOf(refundsFailed) }
    return { ...shown(id), refunded: textOf(refunded), ...failures }
  }
  const entry = (id: string): Entry => {
    const found = payments.get(id)
    if (!found) throw new Error(`Expected a payment, got ${id}.`)
    return found
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    const [, time = '', given = ''] = /^t=(\d+),v1=(\w+)$/.exec(String(request.headers['atrium-signature'])) ?? []
    const right = createHmac('sha256', secret).update(`${time}.${path}.${body}`).digest('hex')
    const say = (status: number, said: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
    if (given !== right || request.headers['atrium-merchant'] !== key) return say(401, {})
    if (takes('unavailable')) return say(503, {})
    const once = request.headers['idempotency-key'] as string | undefined
    const isRepeated = once !== undefined && answers.has(once)
    // What was carried out is not refused when it is asked for again.
    if (!isRepeated && takes('refuse')) return say(402, {})
    requests.push({ path, key: once })
    if (isRepeated) return say(200, answered(answers.get(once) ?? ''))
    const [, id = '', action = ''] = /^\/payments\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? []
    const input = body === '' ? {} : JSON.parse(body)
    const made = id === '' ? create(input) : id
    if (action !== '' && !carryOut(entry(id), action, amountOf(input.amount))) return say(422, {})
    if (once !== undefined) answers.set(once, made)
    if (takes('loseAnswer')) return response.destroy()
    say(200, answered(made))
  })
  const create = (input: { amount: string; notification_url: string }): string => {
    const id = `pay_${randomUUID()}`
    const amount = amountOf(input.amount)
    const status = input.amount.endsWith('.03') ? 'requires_action' : input.amount.endsWith('.05') ? 'failed' : 'authorized'
    const authorized = status === 'authorized' ? amount : 0n
    payments.set(id, {
      status,
      amount,
      notificationUrl: input.notification_url,
      authorized,
      captured: 0n,
      voided: 0n,
      refunded: 0n,
      refundsFailed: 0n,
    })
    return id
  }
  const carryOut = (payment: Entry, action: string, amount: bigint): boolean => {
    const open = payment.authorized - payment.captured - payment.voided
    if (action === 'refunds' ? amount > payment.captured - payment.refunded + payment.refundsFailed : amount > open) return false
    if (action === 'captures') payment.captured += amount
    if (action === 'voids') payment.voided += amount
    if (action === 'refunds') payment.refunded += amount
    return true
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    ids: () => [...payments.keys()],
    shown,
    /** The shopper confirms at the bank, or does not. */
    confirm(id: string, isConfirmed = true) {
      const payment = entry(id)
      if (payment.status !== 'requires_action') return
      payment.status = isConfirmed ? 'authorized' : 'failed'
      if (isConfirmed) payment.authorized = payment.amount
    },
    /** The bank sends a refund back. */
    failRefund(id: string, amount: string) {
      entry(id).refundsFailed += amountOf(amount)
    },
    /** Path, header and body of a notification; who sends it, and how often, is up to the test. */
    notification(id: string, at: Date, by = secret) {
      const body = JSON.stringify({ payment: id })
      const time = Math.floor(at.getTime() / 1000)
      const signature = `t=${time},v1=${createHmac('sha256', by).update(`${time}.${body}`).digest('hex')}`
      return { path: new URL(entry(id).notificationUrl).pathname, signature, body }
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
