import type { RegistryServerFragment } from '#generated/operations.ts'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
const OFFICIAL = 'io.modelcontextprotocol.registry/official'
/** Under which key a registry says more than the official one. */
const OURS = 'example.atrium/directory'

type Package = RegistryServerFragment['registryEntry']['packages'][number]

/** A server as a row of the registry's API: `server.json`, and what the registry knows about it. */
export function registryServer(server: RegistryServerFragment): object {
  const { name, version, description, packages, remotes } = server.registryEntry
  const { title, repoUrl, docsUrl, url, category, tags, stars, official, deprecated, createdAt, updatedAt } = server
  const forge = repoUrl === null ? undefined : /^https:\/\/(github|gitlab)\.com\//.exec(repoUrl)?.[1]
  return {
    server: {
      $schema: SCHEMA,
      name,
      title: title.slice(0, 100).toWellFormed(),
      description,
      version,
      ...(repoUrl !== null && forge && { repository: { url: repoUrl, source: forge } }),
      websiteUrl: docsUrl,
      ...(packages.length > 0 && { packages: packages.map((one) => packageJson(one, server.envVars)) }),
      ...(remotes.length > 0 && { remotes }),
    },
    _meta: {
      [OFFICIAL]: {
        status: deprecated ? 'deprecated' : 'active',
        publishedAt: createdAt,
        updatedAt,
        isLatest: true,
      },
      [OURS]: { url, category, tags, stars, official },
    },
  }
}

const packageJson = (
  { registryType, identifier, version, runtimeHint, runtimeArguments, packageArguments }: Package,
  envVars: RegistryServerFragment['envVars'],
): object => ({
  registryType,
  identifier,
  ...(version !== null && { version }),
  runtimeHint,
  transport: { type: 'stdio' },
  ...(runtimeArguments.length > 0 && { runtimeArguments: options(runtimeArguments) }),
  ...(packageArguments.length > 0 && { packageArguments: packageArguments.map((value) => ({ type: 'positional', value })) }),
  ...(envVars.length > 0 && {
    environmentVariables: envVars.map(({ name, required, secret, description }) => ({
      name,
      ...(description !== null && { description }),
      isRequired: required,
      isSecret: secret,
    })),
  }),
})

/** Pairs of an option and its value. */
const options = (words: readonly string[]): readonly object[] =>
  words.flatMap((name, at) => (at % 2 === 0 ? [{ type: 'named', name, value: words[at + 1] ?? '' }] : []))
