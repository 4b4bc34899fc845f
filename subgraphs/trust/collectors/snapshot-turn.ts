import { createTurns } from '../../toolkit/turns.ts'

/** Milliseconds for snapshots in one turn of the event loop. */
const SNAPSHOTS_MS = 10

/** Collections that began together end together when their time is over, and each hashes its evidence: in turns. */
export const snapshotTurn = createTurns(SNAPSHOTS_MS)
