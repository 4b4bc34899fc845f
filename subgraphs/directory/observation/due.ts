import type { DueRepository, ObservationRepository } from './repository.ts'

/** A repository is observed once a day. Milliseconds. */
const OBSERVE_EVERY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Repositories of one turn: their stars are stored together. */
const MAX_PER_TURN = 100

/** The repositories of a turn, within the budget of the hour. Rejects when the database fails. */
export async function dueRepositories(
  requestsPerHour: number,
  { observations, now }: { readonly observations: ObservationRepository; readonly now: () => Date },
): Promise<readonly DueRepository[]> {
  const used = await observations.countSince(new Date(now().getTime() - HOUR_MS))
  const limit = Math.min(MAX_PER_TURN, requestsPerHour - used)
  return limit <= 0 ? [] : observations.due(new Date(now().getTime() - OBSERVE_EVERY_MS), limit)
}
