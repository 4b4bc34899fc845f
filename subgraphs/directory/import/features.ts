import { asList, asRecord } from './shape.ts'

/** What a server offers, as it or a source spells it; bounded, and text that can be stored. */
export type OfferedFeatures = {
  readonly tools: readonly OfferedTool[]
  readonly prompts: readonly OfferedPrompt[]
  readonly resources: readonly OfferedResource[]
  /** Whether there was more than is kept. */
  readonly isTruncated: boolean
}

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
  const bounds = { isTruncated: false, schemaUnits: 0 }
  const short = (value: unknown, maxLength: number): string | null => {
    if (typeof value !== 'string') return null
    if (value.length > maxLength) bounds.isTruncated = true
    return storable(value.slice(0, maxLength))
  }
  const some = (value: unknown, max: number): readonly unknown[] => {
    const list = asList(value)
    if (list.length > max) bounds.isTruncated = true
    return list.slice(0, max)
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
      some(tools, MAX_TOOLS).flatMap((value) => {
        const fields = typeof value === 'string' ? { name: value } : asRecord(value)
        const name = nameIn(fields?.name)
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
      some(prompts, MAX_PROMPTS).flatMap((value) => {
        const fields = typeof value === 'string' ? { name: value } : asRecord(value)
        const name = nameIn(fields?.name)
        if (!fields || name === null) return []
        const names = some(fields.arguments, MAX_ARGUMENTS).flatMap((one) => nameIn(asRecord(one)?.name) ?? [])
        return [{ name, description: short(fields.description, MAX_DESCRIPTION_LENGTH), arguments: names }]
      }),
      ({ name }) => name,
    ),
    resources: distinct(
      some(resources, MAX_RESOURCES).flatMap((value) => {
        const fields = asRecord(value)
        const uri = fields?.uri ?? fields?.uriTemplate
        if (!fields || typeof uri !== 'string' || uri === '' || uri.length > MAX_URI_LENGTH) return []
        return [
          {
            uri: storable(uri),
            name: short(fields.name, MAX_NAME_LENGTH),
            description: short(fields.description, MAX_DESCRIPTION_LENGTH),
            mimeType: short(fields.mimeType, MAX_MIME_TYPE_LENGTH),
          },
        ]
      }),
      ({ uri }) => uri,
    ),
  }
  return { ...found, isTruncated: bounds.isTruncated }
}

/** Whether anything is listed. */
export const isEmpty = ({ tools, prompts, resources }: OfferedFeatures): boolean =>
  tools.length + prompts.length + resources.length === 0

/** Names of the tools, sorted. */
export const toolNamesOf = ({ tools }: OfferedFeatures): readonly string[] => tools.map(({ name }) => name).sort()

/**
 * A name of one line that can be called; null for any other. Names are shown and compared: signs
 * that show nothing are no part of one.
 */
function nameIn(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_NAME_LENGTH) return null
  const name = value.trim()
  return name === '' || /[\p{Cc}\p{Cf}\p{Cs}]/u.test(name) ? null : name
}

const booleanIn = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

/** PostgreSQL keeps neither the character 0 nor half of a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

/** The first of each name. */
function distinct<Feature>(list: readonly Feature[], nameOf: (feature: Feature) => string): readonly Feature[] {
  const byName = new Map<string, Feature>()
  for (const feature of list) if (!byName.has(nameOf(feature))) byName.set(nameOf(feature), feature)
  return [...byName.values()]
}
