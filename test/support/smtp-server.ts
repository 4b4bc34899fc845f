import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A message that the server took responsibility for. */
export type ReceivedMail = {
  readonly from: string
  readonly to: readonly string[]
  /** As sent, unfolded. */
  readonly headers: readonly string[]
  readonly text: string
  readonly html: string
}

/**
 * What happens to the next message: `busy`: 451 after its text; `unknown`: 550 for its receiver;
 * `drop`: the connection ends before its text; `drop-late`: the connection ends after the server
 * took it, without an answer; `silent`: no answer at all.
 */
export type SmtpFault = 'busy' | 'unknown' | 'drop' | 'drop-late' | 'silent'

export type TestSmtpServer = Awaited<ReturnType<typeof startSmtpServer>>

/** A real SMTP server on loopback that keeps what it gets. */
export async function startSmtpServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = []
  /** Of the next messages, in their order; then everything is taken. */
  const faults: SmtpFault[] = []
  let attempts = 0
  const drop = (id: string) => {
    for (const connection of server.connections) if (connection.id === id) connection._socket?.destroy()
  }
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    ...options,
    onRcptTo(_, { id }, done) {
      attempts += 1
      if (faults[0] === 'silent') return void faults.shift()
      if (faults[0] === 'unknown') {
        faults.shift()
        return done(Object.assign(new Error('No such user here'), { responseCode: 550 }))
      }
      if (faults[0] === 'drop') {
        faults.shift()
        return drop(id)
      }
      done()
    },
    onData(stream, { id, envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const fault = faults.shift()
        if (fault === 'busy') return done(Object.assign(new Error('Try again later'), { responseCode: 451 }))
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...parsed(Buffer.concat(chunks).toString()) })
        if (fault === 'drop-late') drop(id)
        else done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const { port } = server.server.address() as AddressInfo

  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    received,
    faults,
    /** Receivers that it was asked to take. */
    attempts: () => attempts,
    close: () =>
      new Promise<void>((closed) => {
        for (const { id } of server.connections) drop(id)
        server.close(closed)
      }),
  }
}

/** The parts of a message as the sender of Atrium makes it: a text and its HTML. */
function parsed(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = partOf(raw)
  const boundary = /boundary="?([^";]+)/.exec(headers.join('\n'))?.[1]
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).map((part) => partOf(part.replace(/^\r\n/, '')))
  const decoded = (type: string) => {
    const part = parts.find((each) => each.headers.some((header) => header.startsWith(`Content-Type: ${type}`)))
    if (!part) return ''
    return part.headers.some((header) => /base64/i.test(header))
      ? Buffer.from(part.body, 'base64').toString()
      : part.headers.some((header) => /quoted-printable/i.test(header))
        ? unquoted(part.body)
        : part.body
  }
  return { headers, text: decoded('text/plain'), html: decoded('text/html') }
}

function partOf(raw: string): { readonly headers: readonly string[]; readonly body: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  return { headers: head.replace(/\r\n[ \t]+/g, ' ').split('\r\n'), body: rest.join('\r\n\r\n') }
}

const unquoted = (text: string): string =>
  Buffer.from(
    text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
