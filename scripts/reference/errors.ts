import { ERROR_MEANINGS } from './error-meanings.ts'
import { generatedFrom, sourcesOf } from './markdown.ts'

/** Where code states the code of an error: in a table of codes, or where the error is made. */
const STATED = [
  /\bcode ?: '([A-Z][A-Z_]{3,})'/g,
  /\b(?:refusal|refused|UploadError|SubgraphError|rejected)\(\s*'([A-Z][A-Z_]{3,})'/g,
]
/** Files that are tables of codes and nothing else. */
const TABLES = ['gateway/operations/errors.ts', 'platform/graphql/errors.ts', 'platform/http/error-codes.ts']
/** Rooms that answer clients. Codes of other rooms are reasons and states, which the schema describes. */
const ROOMS = ['gateway', 'platform', 'composition', 'rest-facade']

/** Codes of errors by the rooms that state them. */
export function statedCodes(): ReadonlyMap<string, ReadonlySet<string>> {
  const codes = new Map<string, Set<string>>()
  for (const { file, text } of sourcesOf(...ROOMS)) {
    const patterns = TABLES.includes(file) ? [/'([A-Z][A-Z_]{3,})'/g] : STATED
    for (const [, code = ''] of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
      const room = file.slice(0, file.indexOf('/'))
      codes.set(code, (codes.get(code) ?? new Set()).add(room))
    }
  }
  return codes
}

/** Codes of errors, what they mean and what a caller does. Each is a heading, so that one can link to it. */
export function errorsPage(): string {
  const stated = statedCodes()
  const missing = [...stated.keys()].filter((code) => !(code in ERROR_MEANINGS))
  const unused = Object.keys(ERROR_MEANINGS).filter((code) => !stated.has(code))
  if (missing.length + unused.length > 0) {
    throw new Error(
      `Expected scripts/reference/error-meanings.ts to describe the codes that are stated; missing: ${missing.join(', ') || 'none'}; unused: ${unused.join(', ') || 'none'}.`,
    )
  }
  const rows = Object.entries(ERROR_MEANINGS).sort(([one], [other]) => (one < other ? -1 : 1))
  return `# Errors
Outcomes that a caller expects are members of a union in the schema, such as \`ValidationError\`. Everything else is an error with a code: \`extensions.code\` in GraphQL, \`code\` in the body of REST.

The trust API under \`/v1\` writes codes in lower case, and \`internal\` for \`INTERNAL_SERVER_ERROR\`. The REST API of a store answers as its published contract does: a status and \`message\`. MCP answers with a result whose \`isError\` is true.

Every answer has the header \`x-request-id\`. The log has the same id as \`requestId\`.

${rows.map(([code, { meaning, remedy }]) => `## ${code}\n${meaning} ${remedy}`).join('\n\n')}

${generatedFrom('the code that states them and scripts/reference/error-meanings.ts')}`
}
