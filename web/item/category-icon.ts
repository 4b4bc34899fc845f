import type { DirectoryKind } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import type { Html } from '../frame/html.ts'
import { type IconName, icon } from '../frame/icon.ts'

/** What stands for each category of the directory. */
const CATEGORY_ICONS: LookupTable<IconName> = lookupTable({
  'AI & Machine Learning': 'brain',
  'Browser Automation': 'window',
  'Cloud & DevOps': 'cloud',
  Communication: 'message',
  'Data & Analytics': 'chart',
  Databases: 'database',
  Design: 'palette',
  'Developer Tools': 'terminal',
  Documentation: 'book',
  'Files & Documents': 'file',
  Finance: 'money',
  'Knowledge & Memory': 'memory',
  Legal: 'scale',
  'Maps & Location': 'map',
  'Marketing & Sales': 'megaphone',
  'Media & Audio': 'music',
  Mobile: 'mobile',
  Monitoring: 'activity',
  Productivity: 'zap',
  'Science & Research': 'flask',
  'Search & Web': 'search',
  Security: 'lock',
  'Smart Home & IoT': 'home',
  Travel: 'plane',
})

const KIND_ICONS: Readonly<Record<DirectoryKind, IconName>> = { MCP_SERVER: 'server', PLUGIN: 'plugin', SKILL: 'skill' }

/** The picture of a category, for lists and headings; a tag for those that importers made. */
export const categoryIcon = (category: string): Html => icon(CATEGORY_ICONS[category] ?? 'tag')

/** The picture of a kind of item. */
export const kindIcon = (kind: DirectoryKind): Html => icon(KIND_ICONS[kind])
