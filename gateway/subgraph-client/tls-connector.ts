import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureVersion } from 'node:tls'
import type { Logger } from 'pino'
import type { buildConnector as Connect } from 'undici/index.js'
import { buildConnector } from '../../platform/outbound/undici.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { watchFile } from '../planning/watched-file.ts'

/** TLS options of one subgraph; files are in PEM format. */
export type TlsOptions = {
  /** Trusted certificate authorities, replacing the system's. */
  readonly caFile?: string | undefined
  /** Client certificate and key of the gateway (mTLS). */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  readonly passphrase?: string | undefined
  /** Expected certificate name and SNI, replacing the URL's host. */
  readonly servername?: string | undefined
  readonly minVersion?: SecureVersion | undefined
}

/** Opens connections with the current files. */
export type Connector = {
  readonly connect: Connect.connector
  /**
   * Calls `listener` after files changed, to close connections that use the old ones, until the
   * returned function is called.
   */
  readonly onReload: (listener: () => void) => () => void
  readonly close: () => Promise<void>
}

type Files = { readonly ca?: string; readonly cert?: string; readonly key?: string }

/**
 * Creates a connector that reads its files now and after each change; invalid new files are
 * ignored. Throws an `OperatorError` that names the option of an invalid file.
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
  const listeners = new Set<() => void>()

  const watched = Object.entries(paths).flatMap(([name, path]) =>
    // Keys of `paths` and `files` are the same.
    path === undefined ? [] : [watchFile(path, files[name as keyof Files] ?? '', async () => reload())],
  )

  return {
    connect: (request, callback) => open(request, callback),
    onReload(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {
      await Promise.all(watched.map(({ close }) => close()))
    },
  }

  function connectorOf(given: Files): Connect.connector {
    const tls = { ...given, minVersion, ...(passphrase !== undefined && { passphrase }) }
    try {
      createSecureContext(tls)
    } catch (error) {
      throw new OperatorError(`The files of "tls" of subgraph "${subgraph}" do not fit together: ${reasonOf(error)}.`)
    }
    return buildConnector({ ...tls, timeout: connectTimeoutMs, allowH2, ...(servername !== undefined && { servername }) })
  }

  /** Fails while only one of certificate and key is replaced; the next change succeeds. */
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
      // Keys of `paths` and `files` are the same.
      const option = OPTION_OF[name as keyof Files]
      throw new OperatorError(`The file of "tls.${option}" of subgraph "${subgraph}" cannot be read: ${reasonOf(error)}.`)
    }
  })
  return Object.fromEntries(entries)
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.replace(/\.$/, '') ?? ''
