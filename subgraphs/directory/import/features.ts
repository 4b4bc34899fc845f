import { asList, asRecord } from './shape.ts'

/** What a server offers, as it or a source spells it; bounded, and text that can be stored. */
export type OfferedFeatures = {
  readonly tools: readonly OfferedTool[]
  readonly prompts: readonly OfferedPrompt[]
  readonly resources: readonly OfferedResource[]
  /** Whether there was more than is kept: entries, texts or schemas. */
  readonly isTruncated: boolean
  /** Lists with more entries than are kept; absent where nothing is cut, and from earlier releases. */
  readonly cutLists?: readonly FeatureList[]
}

/** A list of what a server offers. */
export type FeatureList = 'tools' | 'prompts' | 'resources'

type OfferedTool = {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  /** JSON text. */
  readonly inputSchema: string | null
  readonly isReadOnly: boolean | null
  readonly isDestructive: boolean | null
}

type OfferedPrompt = {
  readonly name: string
  readonly description: string | null
  readonly arguments: readonly string[]
}

type OfferedResource = {
  readonly uri: string
  readonly name: string | null
  readonly description: string | null
  readonly mimeType: string | null
}

/** Lists as they came; null where there is none. */
export type RawFeatures = {
  readonly tools?: unknown
  readonly prompts?: unknown
  readonly resources?: unknown
}

/** Servers with more exist; nobody reads further. */
export const MAX_TOOLS = 200
export const MAX_PROMPTS = 100
export const MAX_RESOURCES = 100
const MAX_ARGUMENTS = 30
/** Longest texts, in UTF-16 units. */
const MAX_NAME_LENGTH = 128
const MAX_TITLE_LENGTH = 200
const MAX_URI_LENGTH = 500
const MAX_DESCRIPTION_LENGTH = 2_000
const MAX_SCHEMA_LENGTH = 8_000
const MAX_MIME_TYPE_LENGTH = 100
/** Schemas of one server together, in UTF-16 units: those behind are left out. */
const MAX_SCHEMAS_LENGTH = 200_000

/** Reads lists of a source or of a server. Entries without a name are left out. */
export function featuresIn({ tools, prompts, resources }: RawFeatures): OfferedFeatures {
  const bounds = { isTruncated: false, schemaUnits: 0, cutLists: new Set<FeatureList>() }
  const short = (value: unknown, maxLength: number): string | null => {
    if (typeof value !== 'string') return null
    if (value.length > maxLength) bounds.isTruncated = true
    return storable(value.slice(0, maxLength))
  }
  const some = (value: unknown, max: number, cut?: FeatureList): readonly unknown[] => {
    const list = asList(value)
    if (list.length > max) {
      bounds.isTruncated = true
      if (cut) bounds.cutLists.add(cut)
    }
    return list.slice(0, max)
  }
  /** A refused name hides its entry, which must not go unnoticed. */
  const nameOf = (value: unknown, maxLength: number): string | null => {
    const name = nameIn(value, maxLength)
    if (name === null && typeof value === 'string' && value !== '') bounds.isTruncated = true
    return name
  }
  const schema = (value: unknown): string | null => {
    if (asRecord(value) === null) return null
    const text = JSON.stringify(value)
    if (text.length <= MAX_SCHEMA_LENGTH && bounds.schemaUnits + text.length <= MAX_SCHEMAS_LENGTH) {
      bounds.schemaUnits += text.length
      return storable(text)
    }
    bounds.isTruncated = true
    return null
  }
  const found = {
    tools: distinct(
      some(tools, MAX_TOOLS, 'tools').flatMap((value) => {
        const fields = typeof value === 'string' ? { name: value } : asRecord(value)
        const name = nameOf(fields?.name, MAX_NAME_LENGTH)
        if (!fields || name === null) return []
        const hints = asRecord(fields.annotations)
        return [
          {
            name,
            title: short(fields.title ?? hints?.title, MAX_TITLE_LENGTH),
            description: short(fields.description, MAX_DESCRIPTION_LENGTH),
            inputSchema: schema(fields.inputSchema),
            isReadOnly: booleanIn(hints?.readOnlyHint),
            isDestructive: booleanIn(hints?.destructiveHint),
          },
        ]
      }),
      ({ name }) => name,
    ),
    prompts: distinct(
      some(prompts, MAX_PROMPTS, 'prompts').flatMap((value) => {
        const fields = typeof value === 'string' ? { name: value } : asRecord(value)
        const name = nameOf(fields?.name, MAX_NAME_LENGTH)
        if (!fields || name === null) return []
        const names = some(fields.arguments, MAX_ARGUMENTS).flatMap((one) => nameOf(asRecord(one)?.name, MAX_NAME_LENGTH) ?? [])
        return [{ name, description: short(fields.description, MAX_DESCRIPTION_LENGTH), arguments: names }]
      }),
      ({ name }) => name,
    ),
    resources: distinct(
      some(resources, MAX_RESOURCES, 'resources').flatMap((value) => {
        const fields = asRecord(value)
        const uri = nameOf(fields?.uri ?? fields?.uriTemplate, MAX_URI_LENGTH)
        if (!fields || uri === null) return []
        return [
          {
            uri,
            name: short(fields.name, MAX_NAME_LENGTH),
            description: short(fields.description, MAX_DESCRIPTION_LENGTH),
            mimeType: short(fields.mimeType, MAX_MIME_TYPE_LENGTH),
          },
        ]
      }),
      ({ uri }) => uri,
    ),
  }
  const { isTruncated, cutLists } = bounds
  return { ...found, isTruncated, ...(isTruncated && { cutLists: [...cutLists] }) }
}

/** Whether anything is listed. */
export const isEmpty = ({ tools, prompts, resources }: OfferedFeatures): boolean =>
  tools.length + prompts.length + resources.length === 0

/** Names of the tools, sorted. */
export const toolNamesOf = ({ tools }: OfferedFeatures): readonly string[] => tools.map(({ name }) => name).sort()

/**
 * A name or URI of one line that can be called; null for any other. Names are shown and compared:
 * signs that show nothing are no part of one.
 */
function nameIn(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string' || value.length > maxLength) return null
  const name = value.trim()
  return name === '' || UNSEEN.test(name) ? null : name
}

/** Control, format and line signs, halves of pairs, and letters without ink. */
const UNSEEN = /\u034f|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u

const booleanIn = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

/** PostgreSQL keeps neither the character 0 nor half of a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

/** The first of each name. */
function distinct<Feature>(list: readonly Feature[], nameOf: (feature: Feature) => string): readonly Feature[] {
  const byName = new Map<string, Feature>()
  for (const feature of list) if (!byName.has(nameOf(feature))) byName.set(nameOf(feature), feature)
  return [...byName.values()]
}
