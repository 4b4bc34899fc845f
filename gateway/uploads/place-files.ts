import { FileUpload, ownValueOf } from './file-upload.ts'
import { malformed, UploadError } from './upload-error.ts'

/** Paths that one `map` may have; a file rarely has two. */
const MAX_PATHS = 200
/** Characters of a key, which the request to a subgraph has as well, and of a path. */
const MAX_KEY_CHARACTERS = 100
const MAX_PATH_CHARACTERS = 500

/**
 * Puts a file into `operations` at every path that `map` has for it, where null stands. Throws an
 * `UploadError` for another form. Returns the files by their keys, in order.
 */
export function placeFiles(operations: unknown, map: unknown, maxFiles: number): ReadonlyMap<string, FileUpload> {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw malformed('Expected the field "map" to be a JSON object from names of files to lists of paths.')
  }
  const entries = Object.entries(map)
  if (entries.length > maxFiles) {
    throw new UploadError('UPLOAD_TOO_LARGE', `Expected at most ${maxFiles} files in "map", got ${entries.length}.`)
  }
  const files = new Map<string, FileUpload>()
  let paths = 0
  for (const [key, given] of entries) {
    if (key === '' || key.length > MAX_KEY_CHARACTERS) {
      throw malformed(`Expected keys of "map" of 1 to ${MAX_KEY_CHARACTERS} characters, got one of ${key.length}.`)
    }
    if (!Array.isArray(given) || given.length === 0 || !given.every((path) => typeof path === 'string')) {
      throw malformed(`Expected "map" to have a list of paths for "${key}", such as ["variables.file"].`)
    }
    const [first = ''] = given
    paths += given.length
    if (paths > MAX_PATHS) throw new UploadError('UPLOAD_TOO_LARGE', `Expected at most ${MAX_PATHS} paths in "map".`)
    const file = new FileUpload(key, first.slice(0, MAX_PATH_CHARACTERS), files.size)
    for (const path of given) place(operations, path, file)
    files.set(key, file)
  }
  return files
}

function place(operations: unknown, path: string, file: FileUpload): void {
  if (path.length > MAX_PATH_CHARACTERS) throw malformed(`Expected paths in "map" of at most ${MAX_PATH_CHARACTERS} characters.`)
  const segments = path.split('.')
  const isOfVariable = Array.isArray(operations)
    ? /^\d+$/.test(segments[0] ?? '') && segments[1] === 'variables' && segments.length > 2
    : segments[0] === 'variables' && segments.length > 1
  if (!isOfVariable) {
    const example = Array.isArray(operations) ? '"0.variables.file", since "operations" is a list' : '"variables.file"'
    throw malformed(`Expected paths in "map" such as ${example}, got "${path}".`)
  }
  const last = segments.pop() ?? ''
  const parent = segments.reduce(ownValueOf, operations)
  if (ownValueOf(parent, last) !== null) {
    throw malformed(`Expected null in "operations" at "${path}", where "map" sends the file "${file.key}".`)
  }
  // An own property that is null, so the parent is an object or a list.
  Object.assign(parent as object, { [last]: file })
}
