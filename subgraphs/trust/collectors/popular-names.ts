import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { PopularNeighbour } from '../evidence.ts'
import { labelsIn, type PopularLabels } from './popular-labels.ts'
import { type FindPopular, neighboursOf } from './popular-neighbours.ts'

/** Ranks that a line may stand for: the upper ends of the steps of `build-popular-names.ts`. */
export const POPULAR_STEPS = [1_000, 10_000, 100_000] as const
/** Rank of the names of `popular-labels.bin.br`: they are among the first million, or were in 2023. */
const MAX_LABELS_RANK = 1_000_000

/** Names that ship with this program, so that a decision without a network knows the best known. */
export type PopularNames = {
  /** The rank's upper end; null for a name that is not among the first 100,000. */
  readonly rankOf: (name: string) => number | null
  /** Names with a first label, in any order. */
  readonly namesWith: FindPopular
  /**
   * Names that the first label of a name resembles. Of a name whose hash is among the others, no slips:
   * popular sites are one letter apart by chance, and of 800 slips hardly one collides. Names that collide
   * are found within seconds otherwise, so that a hash speaks for nothing else.
   */
  readonly neighboursOf: (name: string) => readonly PopularNeighbour[]
}

/** Under which name ranks of the file are evidence, and the day of its newer source. */
export const POPULAR_NAMES_LIST = 'shipped'
export const POPULAR_NAMES_DATE = '2025-12-23'

const FILES = ['popular-names.txt.br', 'popular-labels.bin.br'] as const
const LINE_END_CODE = 10
const BLANK_CODE = 32
const DOT_CODE = 46
/** More than twice as many as names, a power of two. */
const TABLE_SIZE = 262_144
const TABLE_MASK = TABLE_SIZE - 1

let loading: Promise<PopularNames> | null = null

/** Unpacks the files at first use: some 70 ms beside the main thread, eight megabytes outside of the heap. */
export function popularNames(): Promise<PopularNames> {
  loading ??= Promise.all(FILES.map(unpacked)).then(([names, labels]) =>
    popularNamesIn(names ?? Buffer.alloc(0), labelsIn(labels ?? Buffer.alloc(0))),
  )
  return loading
}

const unpacked = async (file: string): Promise<Buffer> =>
  promisify(brotliDecompress)(await readFile(join(import.meta.dirname, file)))

/**
 * Lines of `name step`, sorted by bytes. They are searched where they are, without an object per
 * line; a table of hashes says at once that there is no such label, which is nearly always so.
 */
function popularNamesIn(text: Buffer, labels: PopularLabels): PopularNames {
  const hashes = new Uint32Array(TABLE_SIZE)
  for (let start = 0; start < text.length; start = text.indexOf(LINE_END_CODE, start) + 1) {
    let slot = hashOf(text, start, text.indexOf(DOT_CODE, start))
    while (hashes[slot & TABLE_MASK] !== 0) slot += 1
    hashes[slot & TABLE_MASK] = start + 1
  }
  const isLabelAt = (label: Buffer, start: number): boolean =>
    text[start + label.length] === DOT_CODE && text.compare(label, 0, label.length, start, start + label.length) === 0

  const lineAt = (start: number): PopularName => {
    const blank = text.indexOf(BLANK_CODE, start)
    const step = Number(text.toString('latin1', blank + 1, text.indexOf(LINE_END_CODE, blank)))
    return { name: text.toString('latin1', start, blank), rank: POPULAR_STEPS[step] ?? POPULAR_STEPS[2] }
  }

  /** All names with a first label, in the order of their bytes. */
  function* linesWith(label: string): Generator<PopularName> {
    for (let slot = hashOf(label, 0, label.length); ; slot += 1) {
      const place = hashes[slot & TABLE_MASK] ?? 0
      if (place === 0) return
      if (isLabelAt(Buffer.from(label, 'latin1'), place - 1)) yield lineAt(place - 1)
    }
  }
  /** All names with a first label, of either file. */
  const allWith = (label: string): PopularName[] => [
    ...linesWith(label),
    ...labels.suffixesOf(label).map((suffix) => ({ name: `${label}.${suffix}`, rank: MAX_LABELS_RANK })),
  ]

  return {
    rankOf: (name) => [...linesWith(labelOf(name))].find((found) => found.name === name)?.rank ?? null,
    namesWith: allWith,
    neighboursOf(name) {
      const isHashed = labels.suffixesOf(labelOf(name)).includes(suffixOf(name))
      return neighboursOf(name, allWith).filter((near) => near.name !== name && !(isHashed && near.relation === 'edit'))
    },
  }
}

const labelOf = (name: string): string => name.slice(0, name.indexOf('.'))
const suffixOf = (name: string): string => name.slice(name.indexOf('.') + 1)

type PopularName = { readonly name: string; readonly rank: number }

/** FNV-1a, 32 bits (https://www.rfc-editor.org/rfc/rfc9923). */
function hashOf(text: Buffer | string, start: number, end: number): number {
  let hash = 0x811c9dc5
  const codeAt = typeof text === 'string' ? (at: number) => text.charCodeAt(at) : (at: number) => text[at] ?? 0
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ codeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
