import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { BOUNDS } from '../limits/limits.ts'

/** Target of frames: the socket, and the stream below it. */
export type FrameTarget = { readonly socket: WebSocket; readonly stream: Duplex }

/**
 * A queued message: `beginning`, `text` as payload, and `}`; only `beginning` when `text` is empty.
 */
type Outgoing = {
  readonly target: FrameTarget
  readonly beginning: string
  readonly text: string
  /** Called when the network has taken the message, or the socket was closed. */
  readonly taken: (() => void) | undefined
}

/** Sends `text` after `beginning` over one socket. */
export type SendFrame = (target: FrameTarget, beginning: string, text: string, taken?: () => void) => void

/** RFC 6455 registry: try again later. */
const TRY_AGAIN_LATER_CODE = 1013

const NOTHING = Buffer.alloc(0)

/**
 * Frames a text message, unmasked and unfragmented (RFC 6455 §5.2). 0x81: FIN and opcode 1. Lengths
 * above 125 have two more bytes, above 65,535 eight.
 */
function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(header + length)
  frame[0] = 0x81
  frame[1] = header === 2 ? length : header === 4 ? 126 : 127
  if (header === 4) frame.writeUInt16BE(length, 2)
  if (header === 10) frame.writeBigUInt64BE(BigInt(length), 2)
  frame.write(text, header)
  return frame
}

/**
 * Writes all frames of one event loop turn together, because consecutive system calls cost half as
 * much as interleaved ones. Closes a socket with too many unsent bytes.
 */
export function createFrameWriter(): SendFrame {
  let outgoing: Outgoing[] = []

  return (target, beginning, text, taken) => {
    if (outgoing.push({ target, beginning, text, taken }) === 1) setImmediate(write)
  }

  /**
   * Frames a message to many sockets once, as one buffer; `ws` would frame it per socket, with
   * separate writes for header and payload.
   */
  function write(): void {
    const now = outgoing
    outgoing = []
    let last: Outgoing | null = null
    let frame: Buffer = NOTHING
    for (const message of now) {
      const { target, beginning, text, taken } = message
      const { socket, stream } = target
      if (socket.bufferedAmount > BOUNDS.socketBacklogBytes)
        socket.close(TRY_AGAIN_LATER_CODE, 'Slow reader: read faster, or ask for less.')
      if (socket.readyState !== WebSocket.OPEN) {
        taken?.()
        continue
      }
      if (!last || text !== last.text || beginning !== last.beginning)
        frame = textFrame(text === '' ? beginning : `${beginning}${text}}`)
      last = message
      // The callback is also called when the stream fails.
      stream.write(frame, taken)
    }
  }
}
