import { isIP } from 'node:net'
import { deadline } from '../outbound/deadline.ts'
import { loadOnce } from '../process/load-once.ts'
import { headerText, htmlOf, isMailable, type MailMessage, plainTextOf } from './message.ts'
import type { MailServer } from './variables.ts'

/**
 * Result of one attempt. `refused`: the server rejected this message for good. `failed`: another
 * attempt may succeed. The reason names neither the receiver nor what the server was told.
 */
export type MailResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export type Mailer = {
  /**
   * One attempt, on a connection of its own. Never rejects. When the signal aborts it, or the
   * connection breaks after the message was sent, whether it arrived is unknown (RFC 5321 §4.5.3.2.6).
   */
  readonly send: (message: MailMessage, signal: AbortSignal) => Promise<MailResult>
}

/** Silence of the server, and the whole attempt. Milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000
const SILENCE_TIMEOUT_MS = 30_000
export const MAIL_TIMEOUT_MS = 60_000
/** Of a response of a server. Bytes. */
const MAX_RESPONSE_BYTES = 65_536

/**
 * Hands messages to the server. Without a pool: that of the library sends a message again by itself
 * when a kept connection breaks.
 */
export function createMailer(
  { host, port, isSecure, credentials, from }: MailServer,
  { timeoutMs = MAIL_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Mailer {
  const isLoopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
  // Its library comes with the first message: most starts need it never.
  const transport = loadOnce(async () =>
    (await import('nodemailer')).createTransport({
      host,
      port,
      secure: isSecure,
      requireTLS: !isSecure && credentials !== null && !isLoopback,
      // Nothing of this machine's own is read on its way, and its certificates are seldom real.
      tls: { rejectUnauthorized: !isLoopback },
      ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      maxResponseSize: MAX_RESPONSE_BYTES,
    }),
  )
  const domain = from.slice(from.lastIndexOf('@') + 1)

  return {
    async send(message, ended) {
      const { id, to, fromName, replyTo, subject, blocks, language } = message
      if (!isMailable(to)) return { kind: 'refused', reason: 'the address cannot be written into an envelope' }
      const time = deadline(timeoutMs, ended)
      try {
        await (await transport.get()).sendMail({
          messageId: `<${id.replace(/[^\w.-]/g, '')}@${domain}>`,
          from: { name: headerText(fromName), address: from },
          to: { name: '', address: to },
          ...(replyTo !== null && isMailable(replyTo) && { replyTo: { name: '', address: replyTo } }),
          // Not read from the headers: a name must not become an address.
          envelope: { from, to: [to] },
          subject: headerText(subject),
          text: plainTextOf(blocks),
          html: htmlOf(blocks, language),
          // RFC 3834 §5: nobody's absence note answers it.
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: time.signal,
        })
        return { kind: 'sent' }
      } catch (error) {
        return resultOf(error)
      } finally {
        time.clear()
      }
    },
  }
}

/** Stages in which a rejection is about the receiver or the message, not about the server's settings. */
const MESSAGE_COMMANDS: readonly unknown[] = ['RCPT TO', 'DATA']

function resultOf(error: unknown): MailResult {
  // Errors of the library have these fields, as its types say.
  const { code, command, responseCode, permanent } = error as Readonly<Record<string, unknown>>
  const reason = [code ?? 'error', command, responseCode].filter((part) => part !== undefined).join(' ')
  return { kind: permanent === true && MESSAGE_COMMANDS.includes(command) ? 'refused' : 'failed', reason }
}
