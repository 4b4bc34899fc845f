import type { Installation, Transport } from '../item/item.ts'
import { installCommand, type Published, startedPackage } from './command.ts'

type Package = Exclude<Published, { readonly from: 'remote' }>

/**
 * A published package as an installation; null when its name or arguments are not safe to paste.
 */
export function packageInstallation(published: Package, transport: Transport = 'stdio'): Installation | null {
  const command = installCommand(published)
  return command === null ? null : { command, transport }
}

/** The remote of a server, as a source spells it. */
type Remote = { readonly name: string; readonly url: unknown; readonly transport: Transport | null }

/** URLs of the older transport end like this, whatever their lists say. */
const SSE_PATH = /\/sse\/?$/

/** A remote server as an installation; null when its name or URL is not safe to paste. */
export function remoteInstallation({ name, url, transport }: Remote): Installation | null {
  if (typeof url !== 'string') return null
  const isSse = transport === 'sse' || SSE_PATH.test(URL.parse(url)?.pathname ?? '')
  const command = installCommand({ from: 'remote', name, url, transport: isSse ? 'sse' : 'http' })
  return command === null ? null : { command, transport: isSse ? 'sse' : 'streamable-http' }
}

/** A command that a source states as text, with the transport that the command itself shows. */
export const commandInstallation = (command: string): Installation => ({ command, transport: transportOfCommand(command) })

function transportOfCommand(command: string): Transport {
  const [, remote] = /^claude mcp add --transport (http|sse) /.exec(command) ?? []
  if (remote === undefined) return 'stdio'
  return remote === 'sse' || SSE_PATH.test(command) ? 'sse' : 'streamable-http'
}

/** Without nulls, and one per published package or address: the first, which is most believed. */
export function distinctInstallations(found: readonly (Installation | null | undefined)[]): readonly Installation[] {
  const bySource = new Map<string, Installation>()
  for (const one of found) {
    if (!one) continue
    const source = sourceOf(one)
    if (!bySource.has(source)) bySource.set(source, one)
  }
  return [...bySource.values()]
}

/** What a command starts, without its version; the whole command when that is not known. */
function sourceOf({ command, transport }: Installation): string {
  const [, url] = /^claude mcp add --transport \S+ \S+ (\S+)$/.exec(command) ?? []
  if (url !== undefined) return url
  const started = startedPackage(command.replace(/ -[pve] \S+/g, ''))
  if (started === null) return command
  const name = started.name.replace(/^docker\.io\//, '').replace(/(?<=.)(?:==|@|:(?!.*\/)).*$/, '')
  // An image with HTTP on a port and one with stdio are two installations.
  return `${started.from} ${name} ${transport}`
}
