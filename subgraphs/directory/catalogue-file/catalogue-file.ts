import { keysOf } from '../../../platform/collections/keys-of.ts'
import { type Catalogue, restoredCatalogue, storedPartsOf } from '../item/catalogue.ts'
import type { DirectoryKind } from '../item/item.ts'
import { qualityColumns } from '../item/quality.ts'
import type { CatalogueSnapshot, Revision } from '../item/repository.ts'
import { createPace, type Pace } from '../word-index/pace.ts'
import { BrokenFrames, type FrameReader, readFirstFrame, readFrames, writeFrames } from './frames.ts'
import { readWordIndex, writeWordIndex } from './index-frames.ts'
import { readItems, writeItems } from './item-frames.ts'
import { bytesOf, readKeyedLists, writeKeyedLists } from './keyed-lists.ts'

/** A larger file is neither written nor read: 200,000 items take 197 MB. */
export const MAX_CATALOGUE_BYTES = 4_000_000_000

/** The file is of other code or of another machine: not a fault, but of no use. */
export class OtherVersion extends Error {
  override readonly name = 'OtherVersion'
}

const KINDS: readonly DirectoryKind[] = ['MCP_SERVER', 'PLUGIN', 'SKILL']

type Header = {
  readonly version: string
  readonly revision: Omit<Revision, 'changedAt'> & { readonly changedAt: number | null }
  readonly counts: CatalogueSnapshot['counts']
}

/**
 * Writes a catalogue to a new file, in slices. `version` says which code makes what is in it. Rejects
 * when the disk fails or the file would be too large, and with the signal's reason.
 */
export async function writeCatalogueFile(
  path: string,
  catalogue: Catalogue,
  {
    version,
    signal,
    maxBytes = MAX_CATALOGUE_BYTES,
    pace = createPace(),
  }: { readonly version: string; readonly signal: AbortSignal; readonly maxBytes?: number; readonly pace?: Pace },
): Promise<void> {
  const { revision, counts, items, words, groups, descriptionHashes, quality, places } = await storedPartsOf(catalogue, pace)
  const header: Header = {
    version,
    revision: { ...revision, changedAt: revision.changedAt?.getTime() ?? null },
    counts,
  }
  await writeFrames(
    path,
    async (writer) => {
      const { write } = writer
      await write(Buffer.from(JSON.stringify(header)))
      await writeItems(writer, items, pace)
      for (const kind of KINDS) await write(bytesOf(places[kind]))
      await write(bytesOf(descriptionHashes))
      for (const name of keysOf(quality)) await write(bytesOf(quality[name]))
      for (const lists of [groups.byTag, groups.byOwner, groups.byCategory]) await writeKeyedLists(writer, lists, pace)
      await writeWordIndex(writer, words, pace)
    },
    { maxBytes, check: () => signal.throwIfAborted() },
  )
}

/**
 * The mark of the revision that a file of this version says it holds, by its first frame alone; null for another file.
 * Rejects with the fault of the system.
 */
export async function markIn(path: string, version: string): Promise<string | null> {
  // Only the mark is read, and compared; whatever the file begins with.
  const first = (await readFirstFrame(path).catch(nullForBrokenFrames)) as Partial<Header> | null
  return first?.version === version ? (first.revision?.mark ?? null) : null
}

function nullForBrokenFrames(error: unknown): null {
  if (error instanceof BrokenFrames) return null
  throw error
}

/**
 * The catalogue that a file holds, as it was written. Rejects with `OtherVersion`, `BrokenFrames`, or
 * the fault of the system.
 */
export async function readCatalogueFile(
  path: string,
  {
    version,
    maxBytes = MAX_CATALOGUE_BYTES,
    pace = createPace(),
  }: { readonly version: string; readonly maxBytes?: number; readonly pace?: Pace },
): Promise<Catalogue> {
  let header: Header | undefined
  const accept = (first: unknown): void => {
    // Whatever a file begins with: only its version is read, and compared.
    const { version: written } = (first ?? {}) as Partial<Header>
    if (written !== version) throw new OtherVersion('Other code wrote it.')
    // Our code of this version wrote it.
    header = first as Header
  }
  return readFrames(path, maxBytes, accept, async (reader) => {
    if (!header) throw new BrokenFrames('Expected a first frame.')
    const { revision, counts } = header
    const items = await readItems(reader, pace)
    const places = { MCP_SERVER: await reader.numbers(), PLUGIN: await reader.numbers(), SKILL: await reader.numbers() }
    const descriptionHashes = await reader.numbers()
    const quality = await readQuality(reader, items.length)
    const groups = {
      byTag: await readKeyedLists(reader, pace),
      byOwner: await readKeyedLists(reader, pace),
      byCategory: await readKeyedLists(reader, pace),
    }
    const words = await readWordIndex(reader, pace)
    const changedAt = revision.changedAt === null ? null : new Date(revision.changedAt)
    return restoredCatalogue(
      { revision: { ...revision, changedAt }, counts, items, places, descriptionHashes, quality, groups, words },
      pace,
    )
  })
}

async function readQuality(reader: FrameReader, size: number): Promise<ReturnType<typeof qualityColumns>> {
  const columns = qualityColumns(size)
  for (const name of keysOf(columns)) {
    const bytes = await reader.next()
    if (bytes.length !== columns[name].byteLength)
      throw new BrokenFrames(`Expected ${columns[name].byteLength} bytes of ${name}.`)
    new Uint8Array(columns[name].buffer).set(bytes)
  }
  return columns
}
