import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { BOUNDS } from '../limits/limits.ts'

/** Where frames are written: the socket, and the stream below it. */
export type FrameTarget = { readonly socket: WebSocket; readonly stream: Duplex }

/**
 * A message on its way: `text` is the payload after `beginning`, closed by `}`; empty when
 * `beginning` is the whole message.
 */
type Outgoing = {
  readonly target: FrameTarget
  readonly beginning: string
  readonly text: string
  /** Called when the network took it, or never will. */
  readonly taken: (() => void) | undefined
}

/** Sends `text` behind `beginning` over one socket. */
export type SendFrame = (target: FrameTarget, beginning: string, text: string, taken?: () => void) => void

/** RFC 6455 §7.4.1: the client may connect again. */
const TRY_AGAIN_LATER_CODE = 1013

const NOTHING = Buffer.alloc(0)

/**
 * A whole, unmasked message of text (RFC 6455 §5.2): 0x81 is FIN and opcode 1; lengths above 125
 * take two bytes more, above 65,535 eight.
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
 * Writes all frames of one turn of the event loop together: consecutive system calls cost half as
 * much as interleaved ones, for the readers wake up once. A socket with too many unread bytes is
 * closed.
 */
export function createFrameWriter(): SendFrame {
  let outgoing: Outgoing[] = []

  return (target, beginning, text, taken) => {
    if (outgoing.push({ target, beginning, text, taken }) === 1) setImmediate(write)
  }

  /**
   * A message to many sockets is framed once, as one buffer: `ws` would frame it per socket, and
   * write header and text separately.
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
      // Also called when the stream breaks.
      stream.write(frame, taken)
    }
  }
}
