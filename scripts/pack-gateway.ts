/**
 * Packs @atrium/gateway: compiles gateway/ and what it imports of platform/ to JavaScript with
 * types, and writes the tarball into a folder.
 *
 *   npm run pack:gateway              into this folder
 *   npm run pack:gateway -- FOLDER    into that one
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = join(ROOT, 'gateway')

/** What the package has beside compiled code, by the folder that it comes from. */
const TEXTS: readonly (readonly [folder: string, names: readonly string[]])[] = [
  [SOURCE, ['README.md', 'CHANGELOG.md']],
  [ROOT, ['LICENSE', 'NOTICE']],
]
/** Files that the code reads: the explorer's page. */
const ASSETS = 'explorer/*.{html,css,js,svg}'

type Manifest = { readonly exports: Readonly<Record<string, string | { readonly types: string }>> } & Record<string, unknown>

const destination = resolve(process.argv[2] ?? '.')
// A copy: a tarball must have nothing of an earlier build.
const staging = mkdtempSync(join(tmpdir(), 'atrium-pack-'))
try {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const project = ['-p', join(SOURCE, 'tsconfig.json'), '--outDir', join(staging, 'dist')]
  // Comments are for readers of types. In the code they were a seventh of the tarball.
  for (const emitted of [['--emitDeclarationOnly'], ['--declaration', 'false', '--removeComments']])
    execFileSync(process.execPath, [compiler, ...project, ...emitted], { stdio: 'inherit' })
  for (const asset of globSync(ASSETS, { cwd: SOURCE })) {
    const target = join(staging, 'dist/gateway', asset)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(join(SOURCE, asset), target)
  }
  for (const [folder, names] of TEXTS) for (const name of names) copyFileSync(join(folder, name), join(staging, name))
  // `private` keeps the sources from being published without a build.
  const { private: _, ...manifest } = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8')) as Manifest
  removeTypesOfNoEntry(manifest)
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  mkdirSync(destination, { recursive: true })
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', destination], { cwd: staging, encoding: 'utf8' })
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed) as [
    { filename: string; size: number; unpackedSize: number; entryCount: number },
  ]
  console.log(`${join(destination, filename)}: ${size} bytes, ${unpackedSize} unpacked, ${entryCount} files`)
} finally {
  rmSync(staging, { recursive: true, force: true })
}

/** Removes declarations that those of the entries do not import: most of them. */
function removeTypesOfNoEntry({ exports }: Manifest): void {
  const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [join(staging, entry.types)]))
  const reached = new Set(entries)
  // A set goes on with what is added while it is read.
  for (const file of reached) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()["'](\.[^"']+)["']/g)) {
      const target = join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts'))
      if (existsSync(target)) reached.add(target)
    }
  }
  for (const file of globSync(join(staging, 'dist/**/*.d.ts'))) if (!reached.has(file)) rmSync(file)
}
