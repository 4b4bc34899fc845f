import { createTurns } from '../../toolkit/turns.ts'

/** Milliseconds for each of these in one turn of the event loop. */
const TURN_MS = 10

/** The collections of hosts that are requested together begin one after another. */
export const collectionTurn = createTurns(TURN_MS)

/** Handshakes that end together: certificates are parsed and verified. */
export const certificateTurn = createTurns(TURN_MS)

/** Collections that began together end together when their time is over, and each hashes its evidence. */
export const snapshotTurn = createTurns(TURN_MS)
