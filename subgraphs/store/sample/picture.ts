import { crc32, deflateSync } from 'node:zlib'

/** Colours of a picture by their use. `paper` also cuts holes. */
type Tone = 'paper' | 'main' | 'shade' | 'light' | 'ink'

/**
 * A shape on a square of 100 by 100, from its upper left corner. `line`: a closed line through
 * these points.
 */
type Shape =
  | { readonly oval: readonly [x: number, y: number, width: number, height: number]; readonly tone: Tone }
  | { readonly box: readonly [x: number, y: number, width: number, height: number]; readonly tone: Tone }
  | { readonly line: readonly (readonly [x: number, y: number])[]; readonly tone: Tone }

const oval = (tone: Tone, x: number, y: number, width: number, height: number): Shape => ({ oval: [x, y, width, height], tone })
const box = (tone: Tone, x: number, y: number, width: number, height: number): Shape => ({ box: [x, y, width, height], tone })
const line = (tone: Tone, ...points: readonly (readonly [number, number])[]): Shape => ({ line: points, tone })

/** Objects as few shapes, the rearmost first. */
const MOTIFS = {
  apron: [
    line('ink', [40, 12], [43, 12], [43, 34], [40, 34]),
    line('ink', [57, 12], [60, 12], [60, 34], [57, 34]),
    line('main', [38, 30], [62, 30], [66, 46], [78, 50], [76, 90], [24, 90], [22, 50], [34, 46]),
    box('shade', 36, 60, 28, 16),
  ],
  basket: [
    oval('ink', 28, 18, 44, 44),
    oval('paper', 33, 23, 34, 34),
    line('main', [16, 44], [84, 44], [76, 84], [24, 84]),
    box('shade', 20, 54, 60, 3),
    box('shade', 22, 64, 56, 3),
    box('shade', 23, 74, 54, 3),
    box('light', 14, 40, 72, 7),
  ],
  board: [box('main', 30, 30, 40, 58), box('main', 44, 12, 12, 22), oval('paper', 47, 15, 6, 6), box('shade', 64, 30, 6, 58)],
  bottle: [box('main', 36, 38, 28, 50), box('main', 44, 22, 12, 20), box('ink', 43, 14, 14, 9), box('light', 40, 52, 20, 20)],
  bowl: [oval('main', 14, 14, 72, 72), box('paper', 14, 14, 72, 34), oval('shade', 14, 40, 72, 16), box('shade', 40, 84, 20, 5)],
  candle: [
    box('main', 34, 40, 32, 48),
    oval('light', 34, 35, 32, 10),
    box('ink', 49, 28, 2, 12),
    line('shade', [50, 10], [56, 23], [50, 30], [44, 23]),
  ],
  chair: [
    box('shade', 28, 12, 6, 78),
    box('shade', 66, 12, 6, 78),
    box('main', 28, 16, 44, 10),
    box('main', 28, 32, 44, 8),
    box('light', 22, 52, 56, 8),
    box('ink', 24, 60, 5, 30),
    box('ink', 71, 60, 5, 30),
  ],
  cushion: [
    line('main', [14, 18], [50, 24], [86, 18], [80, 50], [86, 82], [50, 76], [14, 82], [20, 50]),
    line('shade', [30, 34], [70, 34], [70, 37], [30, 37]),
    line('shade', [30, 63], [70, 63], [70, 66], [30, 66]),
  ],
  frame: [
    box('ink', 20, 12, 60, 76),
    box('light', 24, 16, 52, 68),
    oval('main', 36, 26, 28, 28),
    line('shade', [28, 80], [44, 52], [58, 80]),
  ],
  hook: [box('main', 10, 36, 80, 12), oval('ink', 19, 44, 12, 18), oval('ink', 44, 44, 12, 18), oval('ink', 69, 44, 12, 18)],
  jar: [box('light', 28, 30, 44, 58), box('main', 31, 50, 38, 35), box('ink', 26, 20, 48, 10)],
  knife: [line('light', [22, 12], [44, 24], [44, 58], [36, 58]), box('shade', 34, 56, 11, 4), box('main', 35, 60, 10, 30)],
  lamp: [line('main', [36, 14], [64, 14], [78, 46], [22, 46]), box('ink', 48, 46, 4, 36), oval('shade', 32, 78, 36, 10)],
  mug: [oval('main', 54, 34, 34, 34), oval('paper', 62, 42, 18, 18), box('main', 18, 24, 50, 58), oval('shade', 18, 18, 50, 13)],
  notebook: [box('main', 24, 14, 54, 74), box('shade', 24, 14, 9, 74), box('light', 42, 28, 26, 12), box('ink', 66, 14, 3, 74)],
  pencil: [
    line('main', [30, 78], [66, 14], [76, 20], [40, 84]),
    line('light', [30, 78], [40, 84], [28, 92]),
    line('ink', [29, 86], [32, 88], [28, 92]),
  ],
  planter: [
    oval('shade', 22, 10, 24, 40),
    oval('shade', 54, 10, 24, 40),
    oval('light', 38, 4, 24, 46),
    line('main', [24, 48], [76, 48], [68, 90], [32, 90]),
    box('ink', 24, 46, 52, 4),
  ],
  plate: [oval('main', 10, 10, 80, 80), oval('light', 24, 24, 52, 52), oval('main', 28, 28, 44, 44)],
  rug: [box('main', 12, 24, 76, 52), box('light', 18, 30, 64, 4), box('shade', 18, 42, 64, 16), box('light', 18, 66, 64, 4)],
  shirt: [
    line('main', [36, 14], [64, 14], [90, 30], [80, 46], [72, 40], [72, 88], [28, 88], [28, 40], [20, 46], [10, 30]),
    line('paper', [42, 14], [58, 14], [50, 26]),
    box('shade', 49, 28, 2, 60),
  ],
  soap: [box('shade', 20, 46, 64, 34), box('main', 16, 40, 64, 34), oval('light', 30, 48, 36, 18)],
  stool: [
    oval('main', 20, 22, 60, 18),
    line('ink', [30, 36], [36, 36], [30, 88], [24, 88]),
    line('ink', [64, 36], [70, 36], [76, 88], [70, 88]),
    box('shade', 28, 62, 44, 4),
  ],
  table: [oval('main', 10, 24, 80, 16), box('shade', 47, 36, 6, 44), oval('ink', 30, 76, 40, 10)],
  teapot: [
    oval('main', 66, 36, 26, 32),
    oval('paper', 71, 42, 14, 20),
    line('main', [8, 38], [16, 36], [36, 58], [30, 70]),
    oval('main', 22, 32, 54, 52),
    oval('shade', 34, 28, 30, 10),
    oval('ink', 45, 20, 8, 9),
  ],
  throw: [box('main', 18, 20, 64, 60), box('light', 18, 32, 64, 5), box('light', 18, 42, 64, 5), box('shade', 18, 72, 64, 8)],
  tote: [
    box('ink', 34, 12, 4, 28),
    box('ink', 62, 12, 4, 28),
    box('ink', 34, 10, 32, 4),
    line('main', [20, 34], [80, 34], [84, 90], [16, 90]),
    box('shade', 40, 54, 20, 20),
  ],
  towel: [box('main', 26, 12, 48, 76), box('light', 26, 68, 48, 4), box('light', 26, 75, 48, 4), box('shade', 62, 12, 12, 76)],
  trowel: [
    line('light', [50, 92], [38, 70], [40, 48], [60, 48], [62, 70]),
    box('ink', 48, 36, 4, 14),
    box('main', 45, 8, 10, 30),
  ],
  voucher: [box('main', 10, 28, 80, 46), box('light', 16, 34, 68, 34), box('shade', 46, 28, 8, 46), oval('ink', 42, 22, 16, 14)],
} as const satisfies Readonly<Record<string, readonly Shape[]>>

/** What can be drawn. */
export type Motif = keyof typeof MOTIFS

/** Pixels on a side, and steps of each in both directions for smooth edges. */
const SIDE_PIXELS = 240
const SAMPLES_PER_PIXEL = 2

/**
 * A picture of an object in a colour (#rrggbb), as PNG of 240 by 240 pixels. The same bytes every
 * time.
 */
export function pictureOf(motif: Motif, colour: string): Buffer {
  const tones = tonesOf(colour)
  const places = Object.keys(tones)
  const wide = SIDE_PIXELS * SAMPLES_PER_PIXEL
  // Which tone each step has.
  const steps = new Uint8Array(wide * wide)
  // Within bounds.
  for (const shape of MOTIFS[motif] as readonly Shape[]) {
    const tone = places.indexOf(shape.tone)
    for (let row = 0; row < wide; row += 1) {
      for (const [from, to] of spansOf(shape, ((row + 0.5) * 100) / wide)) {
        steps.fill(tone, row * wide + Math.round((from * wide) / 100), row * wide + Math.round((to * wide) / 100))
      }
    }
  }
  return png(SIDE_PIXELS, smoothed(steps, Object.values(tones)))
}

/** Where a line across the shape at this height is inside of it. */
function spansOf(shape: Shape, y: number): readonly (readonly [from: number, to: number])[] {
  if ('line' in shape) {
    const crossings = shape.line.flatMap(([x, top], index) => {
      const [nextX, next] = shape.line[(index + 1) % shape.line.length] ?? [x, top]
      return top <= y === next <= y ? [] : [x + ((y - top) * (nextX - x)) / (next - top)]
    })
    const ordered = crossings.sort((one, other) => one - other)
    return ordered.flatMap((from, index) => (index % 2 === 0 ? [[from, ordered[index + 1] ?? from] as const] : []))
  }
  const [x, top, width, height] = 'box' in shape ? shape.box : shape.oval
  if (y < top || y > top + height) return []
  if ('box' in shape) return [[x, x + width]]
  const half = (width / 2) * Math.sqrt(1 - ((2 * (y - top)) / height - 1) ** 2)
  return [[x + width / 2 - half, x + width / 2 + half]]
}

type Colour = readonly [red: number, green: number, blue: number]

function tonesOf(colour: string): Readonly<Record<Tone, Colour>> {
  // Three elements.
  const main = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Colour
  const mixed = (other: number, share: number) =>
    // Three elements.
    main.map((part) => Math.round(part + (other - part) * share)) as unknown as Colour
  return { paper: mixed(250, 0.85), main, shade: mixed(0, 0.22), light: mixed(255, 0.5), ink: mixed(40, 0.8) }
}

/**
 * Pixels in red, green and blue, each row behind its filter byte: each pixel is the mean of its
 * steps.
 */
function smoothed(steps: Uint8Array, colours: readonly Colour[]): Buffer {
  const rows = Buffer.alloc(SIDE_PIXELS * (1 + SIDE_PIXELS * 3))
  const flat = Uint8Array.from(colours.flat())
  const wide = SIDE_PIXELS * SAMPLES_PER_PIXEL
  let at = 0
  for (let row = 0; row < SIDE_PIXELS; row += 1) {
    at += 1
    for (let column = 0; column < SIDE_PIXELS; column += 1) {
      const first = (row * wide + column) * SAMPLES_PER_PIXEL
      // Within bounds.
      const tones = [steps[first], steps[first + 1], steps[first + wide], steps[first + wide + 1]] as number[]
      for (let part = 0; part < 3; part += 1) {
        let sum = 0
        // Within bounds.
        for (const tone of tones) sum += flat[tone * 3 + part] as number
        rows[at++] = sum / tones.length
      }
    }
  }
  return rows
}

/** PNG (ISO/IEC 15948), 8 bits each of red, green and blue. */
function png(side: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(content.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}
