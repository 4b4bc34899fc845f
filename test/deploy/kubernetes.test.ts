import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { variables } from '../../config.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests are read by the paths that each test knows.
type Manifest = any

const FOLDER = join(import.meta.dirname, '../../deploy/kubernetes')
const ROLES = ['gateway', 'directory', 'social', 'store', 'trust']
const SCHEMAS = globSync('schemas/kubernetes-*.json', { cwd: import.meta.dirname }).sort()
/** Kinds that are no part of Kubernetes, and patches, which are parts of resources. */
const OTHERS = ['PodMonitor', 'Kustomization', 'Component']

const manifestsOf = (text: string): Manifest[] => parseAllDocuments(text).map((document) => document.toJS({ maxAliasCount: 0 }))
const read = (pattern: string) =>
  globSync(pattern, { cwd: FOLDER }).map((file) => ({ file, text: readFileSync(join(FOLDER, file), 'utf8') }))
const files = read('**/*.yaml').map(({ file, text }) => ({ file, manifests: manifestsOf(text) }))
const whole = files.filter(({ file }) => file !== 'base/pod.yaml' && !file.startsWith('components/load-scaling/'))

/** The command that renders a folder, where the machine has one. */
const kustomize = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
].find(([command = '']) => spawnSync(command, ['version', '--client']).error === undefined)

/** What is wrong with each manifest by the schema of a release; unknown fields are. */
function faults(schemaFile: string, manifests: readonly Manifest[]): string[] {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, schemaFile), 'utf8'))
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema(schema, 'kubernetes')
  return manifests
    .filter(({ kind }) => !OTHERS.includes(kind))
    .flatMap((manifest) => {
      const { apiVersion, kind, metadata } = manifest
      const group = apiVersion === 'v1' ? 'core.v1' : apiVersion.replace(/\.k8s\.io\//, '.').replace('/', '.')
      const validate = ajv.getSchema(`kubernetes#/definitions/io.k8s.api.${group}.${kind}`)
      if (!validate) return [`${kind} ${metadata.name}: no ${apiVersion}`]
      void validate(manifest)
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${kind} ${metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
      )
    })
}

describe('the files', () => {
  test.each(SCHEMAS)('fit %s, without a field that it does not know', (schema) => {
    expect(SCHEMAS).toHaveLength(3)
    expect(
      faults(
        schema,
        whole.flatMap(({ manifests }) => manifests),
      ),
    ).toEqual([])
  })

  test('a misspelt field, a missing one, a wrong value and an old version are seen', () => {
    const [{ manifests } = { manifests: [] }] = files.filter(({ file }) => file === 'base/gateway.yaml')
    const wrong = structuredClone(manifests)
    wrong[0].spec.template.spec.containers[0].resource = {}
    delete wrong[0].spec.selector
    wrong[1].spec.ports[0].port = '4000'
    wrong[3].apiVersion = 'autoscaling/v2beta2'
    for (const schema of SCHEMAS) expect(faults(schema, wrong).map((each) => each.replace(/ .*? /, ' '))).toHaveLength(4)
  })

  test('are all listed in a kustomization beside them, and no listed one is missing', () => {
    for (const { file, manifests } of files.filter(({ file }) => file.endsWith('kustomization.yaml'))) {
      const [{ resources = [], patches = [], configMapGenerator = [], components = [] }] = manifests
      const folder = join(FOLDER, file, '..')
      const listed = [
        ...resources,
        ...patches.map(({ path }: Manifest) => path),
        ...configMapGenerator.flatMap(({ envs = [] }: Manifest) => envs),
      ]
      for (const path of [...listed, ...components]) expect(existsSync(join(folder, path)), `${file}: ${path}`).toBe(true)
      const beside = globSync('*', { cwd: folder }).filter((name) => name !== 'kustomization.yaml')
      expect(listed.filter((path) => !path.includes('/')).sort()).toEqual(beside.sort())
    }
  })

  test('set variables that Atrium knows, and no secret', () => {
    const environment = read('**/*.env').flatMap(({ text }) =>
      text
        .trim()
        .split('\n')
        .map((line) => line.split('=')[0] ?? ''),
    )
    const literals = files.flatMap(({ manifests }) =>
      manifests.flatMap(({ configMapGenerator = [] }) => configMapGenerator.flatMap(({ literals = [] }: Manifest) => literals)),
    )
    const plain = [...environment, ...literals.map((each: string) => each.split('=')[0] ?? '')]
    const fromSecret = files.flatMap(({ manifests }) => manifests.flatMap(secretsOf))
    expect([...plain, ...fromSecret].filter((name) => !(name in variables))).toEqual([])
    expect(plain.filter((name) => /SECRET|KEY|TOKEN|PASSWORD|DATABASE_URL/.test(name))).toEqual([])
    expect(files.flatMap(({ manifests }) => manifests).filter(({ kind }) => kind === 'Secret')).toEqual([])
  })
})

/** Names of variables whose values are in the Secret, which have the names of its keys. */
function secretsOf({ spec }: Manifest): string[] {
  const containers = spec?.template?.spec?.containers ?? []
  return containers.flatMap(({ env = [] }: Manifest) =>
    env.flatMap(({ name, valueFrom }: Manifest) => {
      if (!valueFrom) return []
      expect(valueFrom.secretKeyRef.key).toBe(name)
      return [name]
    }),
  )
}

describe('each role', () => {
  const manifestsOfRole = (role: string): Manifest[] =>
    files.find(({ file }) => basename(file) === `${role}.yaml` && file.startsWith('base/'))?.manifests ?? []

  test.each(ROLES)('%s has a Deployment that its Service, budget and autoscaler are about', (role) => {
    const [deployment, service, budget, autoscaler] = manifestsOfRole(role)
    const labels = { 'app.kubernetes.io/name': 'atrium', 'app.kubernetes.io/component': role }
    expect(deployment.spec.template.metadata.labels).toEqual(labels)
    expect([deployment.spec.selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels]).toEqual([
      labels,
      labels,
      labels,
    ])
    expect(autoscaler.spec.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: role })
    expect(autoscaler.spec.minReplicas).toBeGreaterThan(budget.spec.maxUnavailable)
    expect(deployment.spec.replicas, 'the autoscaler sets it').toBeUndefined()
    expect(deployment.spec.template.spec.containers[0].env).toContainEqual({ name: 'ATRIUM_ROLE', value: role })
    expect(service.spec.ports).toEqual([{ name: 'http', port: 4000, targetPort: 'http' }])
  })

  test('has time to drain before it is killed', () => {
    const [pod] = files.find(({ file }) => file === 'base/pod.yaml')?.manifests ?? []
    const seconds = (name: string) =>
      Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(readFileSync(join(FOLDER, 'base/atrium.env'), 'utf8'))?.[1])
    const { terminationGracePeriodSeconds, containers } = pod.spec.template.spec
    expect(terminationGracePeriodSeconds).toBeGreaterThan(seconds('SHUTDOWN_DRAIN_SECONDS') + seconds('SHUTDOWN_GRACE_SECONDS'))
    expect(seconds('SHUTDOWN_DRAIN_SECONDS')).toBeGreaterThan(2 * containers[0].readinessProbe.periodSeconds)
  })
})

describe('rendered by kustomize (skipped where neither kubectl nor kustomize is installed)', () => {
  test.skipIf(!kustomize)('the example fits every schema, and each pod is restricted, probed, spread and bounded', () => {
    const [command = '', subcommand = ''] = kustomize ?? []
    const manifests = manifestsOf(execFileSync(command, [subcommand, join(FOLDER, 'overlays/example')], { encoding: 'utf8' }))
    for (const schema of SCHEMAS) expect(faults(schema, manifests)).toEqual([])
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    expect(deployments.map(({ metadata }) => metadata.name).sort()).toEqual([...ROLES].sort())
    const jobs = manifests.filter(({ kind }) => kind === 'Job')
    for (const { spec } of [...deployments, ...jobs]) {
      const { containers, securityContext, automountServiceAccountToken } = spec.template.spec
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(automountServiceAccountToken).toBe(false)
      expect(containers).toHaveLength(1)
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
    for (const { metadata, spec } of deployments) {
      const { containers, topologySpreadConstraints } = spec.template.spec
      const [container] = containers
      expect(topologySpreadConstraints).toHaveLength(2)
      expect(container.image).toBe('registry.example.com/atrium:0.1.0')
      expect([container.readinessProbe.httpGet.path, container.livenessProbe.httpGet.path]).toEqual(['/ready', '/health'])
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      })
      const names = container.env.map(({ name }: Manifest) => name)
      expect(
        names.filter((name: string, at: number) => names.indexOf(name) !== at),
        `${metadata.name} sets a variable twice`,
      ).toEqual([])
      expect(names).toContain('LINK_SECRET')
      expect(names.includes('DATABASE_URL')).toBe(metadata.name !== 'gateway')
    }
    const [configMap] = manifests.filter(({ kind }) => kind === 'ConfigMap')
    expect(configMap.data).toMatchObject({ HOST: '0.0.0.0', PUBLIC_URL: 'https://atrium.example.com' })
    for (const role of ROLES.slice(1)) expect(configMap.data[`SUBGRAPH_${role.toUpperCase()}_URL`]).toBe(`http://${role}:4000`)
  })
})
