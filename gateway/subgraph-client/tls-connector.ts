import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureVersion } from 'node:tls'
import type { Logger } from 'pino'
import { buildConnector } from 'undici/index.js'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { watchFile } from '../planning/watched-file.ts'

/** TLS to one subgraph; files are PEM. */
export type TlsOptions = {
  /** Certificates of authorities that are trusted in place of the system's. */
  readonly caFile?: string | undefined
  /** Certificate and key by which the gateway identifies itself (mTLS). */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  readonly passphrase?: string | undefined
  /** Name that the certificate must have, and that is sent (SNI), in place of the host's. */
  readonly servername?: string | undefined
  readonly minVersion?: SecureVersion | undefined
}

/** Opens connections to a subgraph, by the present files. */
export type Connector = {
  readonly connect: buildConnector.connector
  /** Calls `listener` when files have changed, so that connections opened by the old ones end. */
  readonly onReload: (listener: () => void) => void
  readonly close: () => Promise<void>
}

type Files = { readonly ca?: string; readonly cert?: string; readonly key?: string }

/**
 * A connector whose files are read now, and again when they change: new connections use them, and
 * files that do not fit change nothing. Throws an `OperatorError` that names the option of a file
 * that cannot be read or used.
 */
export function createTlsConnector(
  subgraph: string,
  options: TlsOptions,
  {
    connectTimeoutMs,
    allowH2,
    log,
  }: { readonly connectTimeoutMs: number; readonly allowH2: boolean; readonly log: Logger | undefined },
): Connector {
  const { servername, passphrase, minVersion = 'TLSv1.2' } = options
  const paths = { ca: options.caFile, cert: options.certFile, key: options.keyFile }
  let files = readFiles(subgraph, paths)
  let open = connectorOf(files)
  const listeners: (() => void)[] = []

  const watched = Object.entries(paths).flatMap(([name, path]) =>
    // The keys of `paths` are those of the files.
    path === undefined ? [] : [watchFile(path, files[name as keyof Files] ?? '', async () => reload())],
  )

  return {
    connect: (request, callback) => open(request, callback),
    onReload: (listener) => void listeners.push(listener),
    close: async () => {
      await Promise.all(watched.map(({ close }) => close()))
    },
  }

  function connectorOf(given: Files): buildConnector.connector {
    const tls = { ...given, minVersion, ...(passphrase !== undefined && { passphrase }) }
    try {
      createSecureContext(tls)
    } catch (error) {
      throw new OperatorError(`The files of "tls" of subgraph "${subgraph}" do not fit together: ${reasonOf(error)}.`)
    }
    return buildConnector({ ...tls, timeout: connectTimeoutMs, allowH2, ...(servername !== undefined && { servername }) })
  }

  /** A certificate and its key are replaced one after the other. */
  function reload(): void {
    try {
      const next = readFiles(subgraph, paths)
      open = connectorOf(next)
      files = next
      for (const listener of listeners) listener()
      log?.info({ subgraph }, 'the TLS files of a subgraph were read again')
    } catch (error) {
      log?.error({ subgraph, reason: reasonOf(error) }, 'new TLS files of a subgraph were refused; those before stay')
    }
  }
}

const OPTION_OF = { ca: 'caFile', cert: 'certFile', key: 'keyFile' } as const

function readFiles(subgraph: string, paths: { readonly [Name in keyof Files]: string | undefined }): Files {
  const entries = Object.entries(paths).flatMap(([name, path]) => {
    if (path === undefined) return []
    try {
      return [[name, readFileSync(path, 'utf8')] as const]
    } catch (error) {
      // The keys of `paths` are those of the files.
      const option = OPTION_OF[name as keyof Files]
      throw new OperatorError(`The file of "tls.${option}" of subgraph "${subgraph}" cannot be read: ${reasonOf(error)}.`)
    }
  })
  return Object.fromEntries(entries)
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.replace(/\.$/, '') ?? ''
