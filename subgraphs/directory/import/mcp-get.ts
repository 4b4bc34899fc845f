import type { Contribution, Reader, Skip, Statement } from './contribution.ts'
import { packageInstallation } from './installation.ts'
import { serverStatement, variablesIn } from './server.ts'
import { asRecord } from './shape.ts'

const MANAGERS: ReadonlyMap<unknown, 'npm' | 'pypi'> = new Map([
  ['node', 'npm'],
  ['python', 'pypi'],
] as const)

const isPackage = (value: unknown): boolean => {
  const fields = asRecord(value)
  const isNamed = typeof fields?.name === 'string' && typeof fields.runtime === 'string'
  return isNamed && (typeof fields.vendor === 'string' || typeof fields.sourceUrl === 'string')
}

/** packages/*.json of mcp-get; one of its files is a list. */
export const mcpGetReader: Reader = {
  format: 'mcp-get',
  recognises: (content) => isPackage(content) || (Array.isArray(content) && content.some(isPackage)),
  read: (content, { origin, path }) => {
    const contributions: Contribution[] = []
    const skipped: Skip[] = []
    for (const [index, value] of (Array.isArray(content) ? content : [content]).entries()) {
      const statement = isPackage(value) ? statementOf(asRecord(value) ?? {}) : 'is no record of a package'
      const locator = Array.isArray(content) ? `[${index}]` : ''
      if (typeof statement === 'string') skipped.push({ origin, path, line: null, reason: `${locator} ${statement}`.trim() })
      else contributions.push({ origin, path, locator, format: 'mcp-get', statement })
    }
    return { contributions, skipped }
  },
}

function statementOf(fields: Readonly<Record<string, unknown>>): Statement | string {
  const from = MANAGERS.get(fields.runtime)
  return serverStatement({
    repository: fields.sourceUrl,
    names: [fields.name],
    description: fields.description,
    transport: 'stdio',
    installations: [from && typeof fields.name === 'string' ? packageInstallation({ from, name: fields.name }) : null],
    envVars: variablesIn(fields.environmentVariables, ({ required }) => ({ required: required === true })),
    docs: [fields.homepage],
  })
}
