import { deadline } from '../../../platform/outbound/deadline.ts'
import { dnsClient } from '../../../platform/outbound/dns-client.ts'
import { systemServers } from '../../../platform/outbound/dns-servers.ts'
import { Fault } from '../../../platform/outbound/fault.ts'
import { httpClient } from '../../../platform/outbound/http-client.ts'
import { type NetworkOptions, safeNetwork } from '../../../platform/outbound/safe-connect.ts'
import { nameInUrl } from './file.ts'

/** The bytes that a URL leads to, while they arrive. */
export type FileSource = {
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** What the URL calls them; null: nothing. */
  readonly name: string | null
}

/** Where the bytes of new files come from: the outside, or the URL itself. */
export type FileSources = {
  /**
   * Calls `take` with what an http, https or data URL leads to. Throws a `Fault`, or what `take`
   * throws.
   */
  readonly read: <Result>(url: string, maxBytes: number, take: (source: FileSource) => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

/**
 * For tests: other DNS servers, and exceptions from what may be connected to. No configuration
 * leads here.
 */
export type SourceNetwork = Partial<NetworkOptions>

/** The whole time of a download: what waits for it may take 10 seconds. Milliseconds. */
const DOWNLOAD_TIMEOUT_MS = 8_000
const MAX_REDIRECTS = 5

export function fileSources(options: SourceNetwork = {}): FileSources {
  const network = safeNetwork({ resolvers: systemServers(), ...options })
  const http = httpClient(network, dnsClient(network), { userAgent: 'atrium', maxRedirects: MAX_REDIRECTS, isPlainAllowed: true })

  return {
    async read(url, maxBytes, take) {
      if (isData(url)) return take({ body: [bytesIn(url)], name: null })
      const time = deadline(DOWNLOAD_TIMEOUT_MS, new AbortController().signal)
      try {
        const { status, body, url: end } = await http.get(url, { signal: time.signal, accept: '*/*', maxBytes })
        if (status === 200) return await take({ body, name: nameInUrl(end) ?? nameInUrl(url) })
        body.destroy()
        throw new Fault('unavailable', `status ${status}`)
      } finally {
        time.clear()
      }
    },
    close: http.close,
  }
}

const isData = (url: string): boolean => /^data:/i.test(url)

/** The bytes of a base64 data URL (RFC 2397). Its media type is ignored. */
function bytesIn(url: string): Buffer {
  const [, text] = /^data:[^,]*;base64,([\s\S]*)$/i.exec(url) ?? []
  const plain = text?.replaceAll(/\s|%0[ad]|%20/gi, '').replaceAll(/%(2b|2f|3d)/gi, decodeURIComponent)
  if (plain === undefined || plain.length % 4 === 1 || !/^[a-z0-9+/_-]*={0,2}$/i.test(plain)) {
    throw new Fault('malformed', 'Expected base64')
  }
  return Buffer.from(plain, 'base64')
}
