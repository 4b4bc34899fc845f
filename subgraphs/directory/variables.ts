import { z } from 'zod'
import { type Config, urlWithProtocol, type Variables, wholeNumber } from '../../platform/config/config.ts'
import { isNetwork } from '../../platform/outbound/address-policy.ts'
import type { GithubSettings } from './observation/observe.ts'
import type { PackageSettings } from './published-package/observe.ts'
import { DEFAULT_REQUESTS_PER_HOUR, type SourceNetworkSettings } from './source/source.ts'

const apiUrl = urlWithProtocol(['http:', 'https:'], 'an http or https URL').transform((url) => url.replace(/(?<!\/)\/+$/, ''))

/** Variables of the directory. */
export const directoryVariables = {
  DIRECTORY_PROBE_HOURS: {
    read: wholeNumber(0, 8_760),
    default: '0',
    unit: 'hours',
    meaning:
      'Time after which a remote MCP server of the directory is asked again what it offers: it lists tools, prompts and resources, and calls none. 0: only by npx atrium directory probe.',
  },
  DIRECTORY_SOURCE_REQUESTS_PER_HOUR: {
    read: wholeNumber(1, 100_000),
    default: String(DEFAULT_REQUESTS_PER_HOUR),
    unit: 'requests',
    meaning: 'Requests to one source of the directory in an hour; a run that needs more goes on in the next one.',
  },
  DIRECTORY_SOURCE_PRIVATE_NETWORKS: {
    read: z
      .string()
      .transform((text) => text.split(',').map((network) => network.trim()))
      .refine((networks) => networks.every(isNetwork), 'networks such as 10.1.0.0/16, separated by commas'),
    default: null,
    unit: null,
    meaning:
      'Networks in CIDR notation that sources of the directory may lie in besides public addresses, on any port, also with plain http to a literal address; unset, none.',
  },
  DIRECTORY_GITHUB_REQUESTS_PER_HOUR: {
    read: wholeNumber(0, 15_000),
    default: '0',
    unit: 'requests',
    meaning:
      'Requests to the API of GitHub in an hour, for stars, archive state, licence and last push of repositories; without a token GitHub allows 60, with one 5000. 0: none.',
  },
  DIRECTORY_GITHUB_TOKEN: {
    read: z.string().regex(/^[\x21-\x7e]{1,500}$/, 'a token without spaces'),
    default: null,
    unit: null,
    secret: true,
    meaning: 'Token for the API of GitHub; it needs no permission. Unset, requests are anonymous.',
  },
  DIRECTORY_GITHUB_API_URL: {
    read: apiUrl,
    default: 'https://api.github.com',
    unit: null,
    meaning: 'Address of the API of GitHub, or of one that speaks the same.',
  },
  DIRECTORY_PACKAGES_PER_HOUR: {
    read: wholeNumber(0, 10_000),
    default: '0',
    unit: 'packages',
    meaning:
      'Packages of npm and PyPI that are looked up in an hour, with two requests each: newest version, licence, repository, deprecation, install scripts, provenance, downloads of npm and, with one more for 100 packages, advisories of OSV. 0: none.',
  },
  DIRECTORY_NPM_URL: {
    read: apiUrl,
    default: 'https://registry.npmjs.org',
    unit: null,
    meaning: 'Address of the registry of npm, or of a mirror of it.',
  },
  DIRECTORY_NPM_DOWNLOADS_URL: {
    read: apiUrl,
    default: 'https://api.npmjs.org',
    unit: null,
    meaning: 'Address of the API that counts the downloads of npm.',
  },
  DIRECTORY_PYPI_URL: {
    read: apiUrl,
    default: 'https://pypi.org',
    unit: null,
    meaning: 'Address of the Python Package Index, or of a mirror of it.',
  },
  DIRECTORY_OSV_URL: {
    read: apiUrl,
    default: 'https://api.osv.dev',
    unit: null,
    meaning: 'Address of the API of OSV, or of a mirror of it, for advisories about the packages that are looked up.',
  },
} satisfies Variables

/** How the API of GitHub is used. */
export const githubSettingsOf = (config: Config<typeof directoryVariables>): GithubSettings => ({
  apiUrl: config.DIRECTORY_GITHUB_API_URL,
  token: config.DIRECTORY_GITHUB_TOKEN ?? null,
  requestsPerHour: config.DIRECTORY_GITHUB_REQUESTS_PER_HOUR,
})

/** How the registries of packages are used. */
export const packageSettingsOf = (config: Config<typeof directoryVariables>): PackageSettings => ({
  npmUrl: config.DIRECTORY_NPM_URL,
  npmDownloadsUrl: config.DIRECTORY_NPM_DOWNLOADS_URL,
  pypiUrl: config.DIRECTORY_PYPI_URL,
  osvUrl: config.DIRECTORY_OSV_URL,
  packagesPerHour: config.DIRECTORY_PACKAGES_PER_HOUR,
})

/** What runs of sources may connect to, and how often. */
export const sourceNetworkOf = (config: Config<typeof directoryVariables>): SourceNetworkSettings => ({
  privateNetworks: config.DIRECTORY_SOURCE_PRIVATE_NETWORKS ?? [],
  requestsPerHour: config.DIRECTORY_SOURCE_REQUESTS_PER_HOUR,
})
