import type { SourceRepository } from './repository.ts'
import {
  faultsOf,
  intervalFaults,
  MAX_DIRECTORY_SOURCES,
  type Source,
  type SourceFault,
  type SourceSettings,
  spelledAddress,
} from './source.ts'

type SourceChange = { readonly source: Source } | { readonly faults: readonly SourceFault[] }
type Deps = { readonly sources: SourceRepository; readonly now: Date }

/** Creates a source, or says which rules its settings break. */
export async function createSource(settings: SourceSettings, { sources, now }: Deps): Promise<SourceChange> {
  const faults = faultsOf(settings)
  if (faults.length > 0) return { faults }
  const created = await sources.create({ ...settings, address: spelledAddress(settings.address) }, now)
  if (created === 'too-many') return faulty('name', `Expected at most ${MAX_DIRECTORY_SOURCES} sources: delete one first.`)
  if (created !== 'in-use') return { source: created }
  const isName = (await sources.byName(settings.name)) !== null
  return isName
    ? faulty('name', `Expected a name that is not in use, got "${settings.name}".`)
    : faulty('address', 'Expected an address that no other source has.')
}

/** Changes a source; null when there is none with this row id. */
export async function updateSource(
  id: string,
  changes: Partial<Pick<SourceSettings, 'enabled' | 'intervalMinutes'>>,
  { sources, now }: Deps,
): Promise<SourceChange | null> {
  const faults = changes.intervalMinutes === undefined ? [] : intervalFaults(changes.intervalMinutes)
  if (faults.length > 0) return { faults }
  const source = await sources.change(id, changes, now)
  return source && { source }
}

const faulty = (field: string, message: string): SourceChange => ({ faults: [{ field, message }] })
