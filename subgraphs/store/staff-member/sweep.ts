import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import type { StaffMemberRepository } from './repository.ts'

/** Between deletions of expired invitations. Milliseconds. */
const INTERVAL_MS = 3_600_000

/** Deletes invitations that have expired, and so the addresses of people who never came, until it is stopped. */
export const sweepInvitations = (
  staffMembers: Pick<StaffMemberRepository, 'deleteExpired'>,
  { log, now }: { readonly log: Logger; readonly now: () => Date },
): PeriodicJob =>
  runPeriodically(
    INTERVAL_MS,
    () => staffMembers.deleteExpired(now()),
    (error) => log.warn({ err: error }, 'expired invitations to staffs of stores could not be deleted'),
  )
