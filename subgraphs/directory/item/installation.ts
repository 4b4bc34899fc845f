import type { ItemTrustLevel } from '#generated/directory/resolvers.ts'
import type { McpServer } from './item.ts'

/** What a rule says of an item; `detail`: what it says it of, of any length. */
export type TrustFinding = {
  readonly code: string
  readonly level: ItemTrustLevel
  readonly meaning: string
  readonly detail: string | null
}

/** What commands do that a reader should know before pasting one. */
const COMMAND_RULES: readonly {
  readonly code: string
  readonly level: ItemTrustLevel
  readonly meaning: string
  readonly pattern: RegExp
}[] = [
  {
    code: 'DOWNLOADED_SCRIPT',
    level: 'WARNING',
    meaning: 'It runs a script from the network, which may be another one tomorrow.',
    pattern: /\b(?:curl|wget|iwr|irm)\b[^\n]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:iwr|irm)\b[^\n]*\|\s*iex\b/i,
  },
  {
    code: 'HOST_ACCESS',
    level: 'WARNING',
    meaning: 'Its container reaches the machine around it.',
    pattern: /--privileged\b|docker\.sock|--(?:pid|net|network)[= ]host\b|-v \/:/,
  },
  { code: 'ADMINISTRATOR', level: 'CAUTION', meaning: 'It asks for the rights of an administrator.', pattern: /\bsudo\b/ },
]

/** `npx`, `uvx` and the like, which run the newest version unless one is named; also of a repository. */
const RUNNER =
  /^(?<runner>npx|bunx|pnpm dlx|uvx|pipx run|dnx)\s+(?:-\S+\s+)*(?<name>(?:git\+)?https?:\/\/[^\s@#]+|@?\w[\w./-]*)(?<version>(?:@|==|#)\S+)?(?=\s|$)/
const IMAGE =
  /^docker run\b.*?\s(?<name>[a-z0-9][a-z0-9._/-]*\/[a-z0-9._-]+)(?<version>:[\w.-]+)?(?<digest>@sha256:[0-9a-f]{64})?(?:\s|$)/

/** Versions that are one version: neither a range nor a tag or branch that moves, such as `next` or `stable`. */
const COMMIT = /^[@#][0-9a-f]{40}$/
const NPM_VERSION = /^@\d+\.\d+\.\d+[\w.+-]*$/
const VERSION = /^(?:@|==|:v?)\d[\w.+-]*$/

function namesOneVersion({
  runner = '',
  name = '',
  version = '',
  digest,
}: Readonly<Record<string, string | undefined>>): boolean {
  if (digest !== undefined) return true
  if (name.includes('://')) return COMMIT.test(version)
  return (/^(?:npx|bunx|pnpm)/.test(runner) ? NPM_VERSION : VERSION).test(version)
}

/** What installing a server means, by its commands. */
export function installationFindings({ installations }: McpServer): readonly TrustFinding[] {
  const [first] = installations
  if (!first) return []
  const marked = COMMAND_RULES.flatMap(({ code, level, meaning, pattern }) => {
    const command = installations.find((one) => pattern.test(one.command))?.command
    return command === undefined ? [] : [{ code, level, meaning, detail: command }]
  })
  const found = (RUNNER.exec(first.command) ?? IMAGE.exec(first.command))?.groups ?? {}
  const { name, version, digest } = found
  if (name === undefined) return marked
  return [
    ...marked,
    namesOneVersion(found)
      ? {
          code: 'PINNED_PACKAGE',
          level: 'GOOD',
          meaning: 'Its installation names one version.',
          detail: `${name}${version ?? ''}${digest ?? ''}`,
        }
      : {
          code: 'UNPINNED_PACKAGE',
          level: 'UNKNOWN',
          meaning: 'Its installation runs whichever version is the newest at the time.',
          detail: name,
        },
  ]
}
