/**
 * Writes the schemas that the test of deploy/kubernetes validates with: of the OpenAPI description
 * of a Kubernetes release (api/openapi-spec/swagger.json of its sources), only what those kinds
 * need, without descriptions. `npx node scripts/kubernetes-schemas.ts 1.37 swagger.json`,
 * then `npx biome format --write test/deploy`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The kinds in deploy/kubernetes, by their definitions. */
const KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Namespace',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.networking.v1.Ingress',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
]

type Schema = { [key: string]: unknown }
type Definitions = Readonly<Record<string, Schema>>

const [version, path] = process.argv.slice(2)
if (!version || !path) {
  console.error('Usage: npx node scripts/kubernetes-schemas.ts <major.minor> <swagger.json>')
  process.exit(1)
}
const { definitions } = JSON.parse(readFileSync(path, 'utf8')) as { definitions: Definitions }
const needed: Record<string, unknown> = {}
for (const kind of KINDS) take(kind)
const file = join(import.meta.dirname, `../test/deploy/schemas/kubernetes-${version}.json`)
writeFileSync(file, `${JSON.stringify({ definitions: needed })}\n`)
console.log(`${Object.keys(needed).length} definitions in ${file}`)

/** Takes a definition with all that it refers to. */
function take(name: string): void {
  if (name in needed) return
  const definition = definitions[name]
  if (!definition) throw new Error(`No definition ${name}: has its version changed?`)
  needed[name] = true
  needed[name] = strict(definition)
}

/** Without descriptions; fields that the API does not know are refused, as its server warns of them. */
function strict({ type, format, properties, items, required, additionalProperties, $ref }: Schema): Schema {
  if (typeof $ref === 'string') {
    take($ref.slice('#/definitions/'.length))
    return { $ref }
  }
  // A quantity such as 250m may be written as a number, too.
  if (type === 'string' && (format === 'int-or-string' || !properties)) {
    return format === 'int-or-string' ? { type: ['string', 'integer'] } : { type }
  }
  const fields = properties as Readonly<Record<string, Schema>> | undefined
  return {
    ...(type !== undefined && { type }),
    ...(fields && { properties: Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, strict(each)])) }),
    ...(items !== undefined && { items: strict(items as Schema) }),
    ...(required !== undefined && { required }),
    ...(fields && { additionalProperties: false }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: strict(additionalProperties as Schema) }),
  }
}
