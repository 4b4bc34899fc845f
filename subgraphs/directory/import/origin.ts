import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/**
 * Whose files lie below a folder: `origin` as in table contribution, `root` the absolute folder
 * that its paths count from.
 */
export type Origin = { readonly origin: string; readonly root: string }

const PLAIN = 'file:'

/** `owner+repository`: how a collection of repositories names its folders. */
const FOLDER = /^([A-Za-z0-9][A-Za-z0-9-]{0,38})\+([A-Za-z0-9._-]{1,100})$/

/** The remote of a clone, in each of its spellings: https, ssh://, git@host:. */
const REMOTE =
  /^\s*url\s*=\s*(?:https?:\/\/(?:[^@/\s]*@)?|ssh:\/\/git@|git@)github\.com[:/]([A-Za-z0-9-]{1,39})\/([A-Za-z0-9._-]{1,100}?)(?:\.git)?\/?\s*$/

/**
 * The origin that begins at this folder, by its name or by the remote of the clone that it is; null
 * when none does.
 */
export function originAt(folder: string): Origin | null {
  const named = FOLDER.exec(basename(folder))
  if (named) return { origin: `${named[1]}/${named[2]}`, root: folder }
  const cloned = remoteOf(folder)
  return cloned === null ? null : { origin: cloned, root: folder }
}

/**
 * The origin of an import path: of its nearest ancestor that begins one, else the folder itself as
 * `file:/folder`.
 */
export function originOf(folder: string): Origin {
  for (let ancestor = resolve(folder); ; ancestor = dirname(ancestor)) {
    const found = originAt(ancestor)
    if (found) return found
    if (dirname(ancestor) === ancestor) return { origin: `${PLAIN}${resolve(folder)}`, root: resolve(folder) }
  }
}

/** The folder of an origin that is only a folder; null for every other. */
export const plainFolder = (origin: string): string | null => (origin.startsWith(PLAIN) ? origin.slice(PLAIN.length) : null)

/** A linked working tree has a file `.git` that leads elsewhere; it is not followed. */
function remoteOf(folder: string): string | null {
  const config = join(folder, '.git', 'config')
  try {
    if (!existsSync(config) || statSync(config).size > 100_000) return null
    const lines = readFileSync(config, 'utf8').split('\n')
    const start = lines.findIndex((line) => line.trim() === '[remote "origin"]')
    if (start === -1) return null
    const length = lines.slice(start + 1).findIndex((line) => line.trim().startsWith('['))
    const section = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length)
    const remote = section.map((line) => REMOTE.exec(line)).find((match) => match !== null)
    return remote ? `${remote[1]}/${remote[2]}` : null
  } catch {
    // A config that cannot be read names no remote.
    return null
  }
}
