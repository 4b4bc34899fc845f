/**
 * Writes the software bill of materials of a production installation as CycloneDX JSON to standard
 * output, for every platform. It is npm's own, without development dependencies: `npm sbom --omit
 * dev` leaves out 150 production dependencies as well (npm 11.19), so all are asked for, and the
 * lock file says which stay. Fails when one is missing.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { labelOf, productionPackages } from './production-packages.ts'

const Properties = z.array(z.object({ name: z.string(), value: z.string() })).default([])
const Component = z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string(), properties: Properties })
const Bom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
})

/** A thousand packages are 1 MB. */
const MAX_OUTPUT_BYTES = 100_000_000
const TIME_LIMIT_MS = 120_000

const root = process.cwd()
const wanted = new Set(productionPackages(root).map(labelOf))
const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
const output = execFileSync('npm', ['sbom', ...options], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: MAX_OUTPUT_BYTES,
  timeout: TIME_LIMIT_MS,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const bom = Bom.parse(JSON.parse(output))

// A package that is also a development dependency of something is marked as one.
const components = bom.components
  .filter((each) => wanted.has(labelOf(each)))
  .map((each) => ({ ...each, properties: each.properties.filter(({ name }) => name !== 'cdx:npm:package:development') }))
const found = new Set(components.map(labelOf))
const missing = [...wanted].filter((label) => !found.has(label))
if (missing.length > 0) {
  console.error(`npm sbom lacks production dependencies: ${missing.join(', ')}`)
  process.exit(1)
}

// npm calls the project like its folder.
const { name } = z.object({ name: z.string() }).parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
const component = { ...bom.metadata.component, name }
const refs = new Set([component['bom-ref'], ...components.map((each) => each['bom-ref'])])
const dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((ref) => refs.has(ref)) }))
console.log(JSON.stringify({ ...bom, metadata: { ...bom.metadata, component }, components, dependencies }, null, 2))
