import { z } from 'zod'
import type { Config, Variables } from '../config/config.ts'
import { OperatorError } from '../process/operator-error.ts'
import { isMailable } from './message.ts'

/** A server that messages are handed to. */
export type MailServer = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise by STARTTLS, where the server offers it. */
  readonly isSecure: boolean
  readonly credentials: { readonly user: string; readonly password: string } | null
  /** Address that messages are sent from. */
  readonly from: string
}

/** RFC 8314 §3.3 and RFC 6409 §3.1. */
const [SECURE_PORT, SUBMISSION_PORT] = [465, 587]

const EXPECTATION = 'an SMTP server such as smtps://user:password@mail.example.org or smtp://127.0.0.1:25'

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text)
  const isWhole = hostname !== '' && ['', '/'].includes(pathname) && search === '' && hash === ''
  return (
    ['smtp:', 'smtps:'].includes(protocol) && isWhole && (username === '') === (password === '') && isEncoded(username + password)
  )
}

function isEncoded(text: string): boolean {
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(text))
  } catch {
    return false
  }
}

/** The variables of e-mail. */
export const mailVariables = {
  MAIL_URL: {
    read: z.string().refine(isServer, EXPECTATION),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'SMTP server that e-mails are handed to; smtps: TLS at once (port 465), smtp: STARTTLS where it is offered (port 587), and always before a password. Unset, no e-mail is sent.',
  },
  MAIL_FROM: {
    read: z.string().refine(isMailable, 'an e-mail address such as orders@example.org'),
    default: null,
    unit: null,
    meaning: 'Address that e-mails are sent from; shops are named in front of it. Required with MAIL_URL.',
  },
} as const satisfies Variables

/** The server; null: no e-mail is sent. Throws an `OperatorError` when only one of the variables is set. */
export function mailServerOf({ MAIL_URL: url, MAIL_FROM: from }: Config<typeof mailVariables>): MailServer | null {
  if (url === undefined && from === undefined) return null
  if (url === undefined || from === undefined)
    throw new OperatorError('Expected MAIL_URL and MAIL_FROM to be set together, or neither.')
  const { protocol, hostname, port, username, password } = new URL(url)
  const isSecure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? SECURE_PORT : SUBMISSION_PORT) : Number(port),
    isSecure,
    credentials: username === '' ? null : { user: decodeURIComponent(username), password: decodeURIComponent(password) },
    from,
  }
}
