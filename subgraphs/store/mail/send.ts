import type { Logger } from 'pino'
import type { Mailer } from '../../../platform/mail/mailer.ts'
import type { MailMessage } from '../../../platform/mail/message.ts'
import type { MailJobs, MailKind, MailRun } from './jobs.ts'

/** The message of a job as things are now; null: it is not to be sent any more. */
export type MailTemplate = (job: MailRun) => Promise<Omit<MailMessage, 'id'> | null>

/** What sending needs. */
export type Mailing = {
  readonly jobs: MailJobs
  readonly mailer: Mailer
  readonly templates: Readonly<Record<MailKind, MailTemplate>>
  readonly log: Logger
}

/** How long a running attempt may continue when this process stops sending. Milliseconds. */
const STOP_TIMEOUT_MS = 3_000

/** Sends e-mails in this process until the returned function is called. */
export async function sendMail({ jobs, mailer, templates, log }: Mailing): Promise<() => Promise<void>> {
  const ended = new AbortController()
  const stop = await jobs.work(async (job) => {
    const { kind, storeId, jobId, isLast } = job
    const message = await templates[kind](job)
    if (message === null) return
    const result = await mailer.send({ ...message, id: jobId }, ended.signal)
    if (result.kind === 'sent') return
    // Without the address: logs are kept longer than people's data.
    const about = { kind, storeId, mail: jobId, reason: result.reason }
    if (result.kind === 'refused') return log.warn(about, 'the mail server refused an e-mail')
    log.warn(about, isLast ? 'an e-mail could not be sent and is given up' : 'an e-mail could not be sent and is tried again')
    throw new Error(`The e-mail was not sent: ${result.reason}.`)
  })
  return async () => {
    const cut = setTimeout(() => ended.abort(), STOP_TIMEOUT_MS)
    await stop()
    clearTimeout(cut)
  }
}
