/**
 * Copies what pages have of the packages of fonts and icons: the files of `web/style/fonts`, and the
 * shapes of `web/frame/icon-shapes.ts`. Another icon is a row of ICONS. `--check` writes nothing,
 * and fails when a file is not what it would write.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const PACKAGES = join(import.meta.dirname, '../../node_modules')
const WEB = join(import.meta.dirname, '../../web')

/** Latin first: a browser loads the others only for pages that have their letters. */
const FONTS = ['geist', 'geist-mono'].flatMap((family) => ['latin', 'latin-ext'].map((subset) => ({ family, subset })))

/** Our name of an icon, and that of the library. */
const ICONS: Readonly<Record<string, string>> = {
  activity: 'activity',
  alert: 'triangle-alert',
  'arrow-right': 'arrow-right',
  bell: 'bell',
  book: 'book-open',
  bot: 'bot',
  brain: 'brain',
  cart: 'shopping-cart',
  chart: 'chart-column',
  check: 'check',
  'check-circle': 'circle-check',
  chevron: 'chevron-right',
  clock: 'clock',
  cloud: 'cloud',
  code: 'code-xml',
  compass: 'compass',
  copy: 'copy',
  database: 'database',
  download: 'download',
  external: 'arrow-up-right',
  file: 'file-text',
  flask: 'flask-conical',
  gauge: 'gauge',
  graph: 'workflow',
  heart: 'heart',
  home: 'house',
  image: 'image',
  inbox: 'inbox',
  info: 'info',
  key: 'key-round',
  link: 'link',
  list: 'list',
  lock: 'lock',
  map: 'map-pin',
  megaphone: 'megaphone',
  memory: 'library',
  menu: 'menu',
  message: 'message-square',
  mobile: 'smartphone',
  money: 'landmark',
  moon: 'moon',
  music: 'music',
  package: 'package',
  palette: 'palette',
  pause: 'circle-pause',
  percent: 'badge-percent',
  plane: 'plane',
  play: 'play',
  plug: 'plug',
  plugin: 'puzzle',
  plus: 'plus',
  receipt: 'receipt-text',
  return: 'undo-2',
  rss: 'rss',
  scale: 'scale',
  search: 'search',
  server: 'server',
  settings: 'settings',
  shield: 'shield',
  'shield-check': 'shield-check',
  skill: 'wand-sparkles',
  star: 'star',
  store: 'store',
  tag: 'tag',
  terminal: 'terminal',
  tool: 'wrench',
  truck: 'truck',
  user: 'user-round',
  users: 'users-round',
  webhook: 'webhook',
  window: 'app-window',
  x: 'x',
  'x-circle': 'circle-x',
  zap: 'zap',
}

const files = new Map<string, string | Buffer>()
for (const { family, subset } of FONTS) {
  const name = `${family}-${subset}-wght-normal.woff2`
  files.set(`style/fonts/${name}`, readFileSync(join(PACKAGES, '@fontsource-variable', family, 'files', name)))
}
const licenses = ['@fontsource-variable/geist', 'lucide-static'].map((name) =>
  readFileSync(join(PACKAGES, name, 'LICENSE'), 'utf8').trim(),
)
files.set(
  'style/fonts/LICENSES.txt',
  `Geist and Geist Mono (*.woff2)\n\n${licenses[0]}\n\n\nIcons (../../frame/icon-shapes.ts), reduced from Lucide\n\n${licenses[1]}\n`,
)
files.set('frame/icon-shapes.ts', shapesFile())

if (process.argv.includes('--check')) {
  const changed = [...files]
    .filter(([path, content]) => !Buffer.from(content).equals(readFileSync(join(WEB, path))))
    .map(([path]) => path)
  if (changed.length > 0) {
    console.error(`Not what the packages have: ${changed.join(', ')}. Run node scripts/pages/fonts-and-icons.ts.`)
    process.exit(1)
  }
} else {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(WEB, path)), { recursive: true })
    writeFileSync(join(WEB, path), content)
  }
}

function shapesFile(): string {
  const rows = Object.entries(ICONS).map(([name, source]) => `  '${name}': html\`${shapeOf(source)}\`,`)
  return `// Made by scripts/pages/fonts-and-icons.ts from Lucide (ISC): see style/fonts/LICENSES.txt.
// biome-ignore-all format: one icon a line
import { html } from './html.ts'

/** What is drawn of each icon, on a ground of 24 by 24. */
export const ICON_SHAPES = {
${rows.join('\n')}
} as const
`
}

/** What stands in the file of an icon, on one line. */
function shapeOf(name: string): string {
  const svg = readFileSync(join(PACKAGES, 'lucide-static/icons', `${name}.svg`), 'utf8')
  const shape = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(svg)?.[1]
  if (shape === undefined) throw new Error(`Expected an SVG of the icon ${name}.`)
  return shape
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll(' />', '/>')
    .trim()
}
