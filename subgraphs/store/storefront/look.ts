import { lookupTable, ownValue } from '../../../platform/collections/lookup-table.ts'
import { effectiveValues, type Publication, type SettingType, type SettingValue, type Theme } from '../theme/theme.ts'

/** Look of a shop from its published theme; null: none. */
export type StorefrontLook = {
  readonly accentColor: string | null
  readonly backgroundColor: string | null
  readonly serifHeadings: boolean | null
  readonly announcement: string | null
  readonly heroTitle: string | null
  readonly heroText: string | null
  readonly footerText: string | null
}

/**
 * The look from settings with known keys. Other settings stay private: a theme may hold what its
 * merchant does not want to publish.
 */
export function lookOf({ settings }: Pick<Theme, 'settings'>, { customised }: Pick<Publication, 'customised'>): StorefrontLook {
  const values = effectiveValues(settings, customised)
  const types = lookupTable(Object.fromEntries(settings.map(({ key, type }) => [key, type])))
  const settingOf = (key: string, type: SettingType): SettingValue | null =>
    types[key] === type ? (ownValue(values, key) ?? null) : null
  const text = (key: string) => String(settingOf(key, 'TEXT') ?? '').trim() || null
  const color = (key: string) => {
    const value = settingOf(key, 'COLOR')
    // A shop is not seen through: digits of an alpha channel are left out.
    return value === null ? null : String(value).slice(0, '#rrggbb'.length).toLowerCase()
  }
  const serif = settingOf('serif_headings', 'BOOLEAN')
  return {
    accentColor: color('accent_color'),
    backgroundColor: color('background_color'),
    serifHeadings: serif === null ? null : serif === true,
    announcement: text('announcement'),
    heroTitle: text('hero_title'),
    heroText: text('hero_text'),
    footerText: text('footer_text'),
  }
}
