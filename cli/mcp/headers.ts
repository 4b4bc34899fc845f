import type { JSONRPCMessage } from '@modelcontextprotocol/server'

const VERSION = 'io.modelcontextprotocol/protocolVersion'

/**
 * What HTTP needs to know about a message. Since 2026-07-28 its headers repeat the version, method
 * and name of the body; a client of 2025 names the version that it has `agreed` on, once it has.
 */
export function headersFor(message: JSONRPCMessage, agreedVersion: string | null): Record<string, string> {
  if (!('method' in message)) return {}
  // Parameters of JSON-RPC are an object.
  const params = message.params as Readonly<Record<string, unknown>> | undefined
  const version = (params?._meta as Readonly<Record<string, unknown>> | undefined)?.[VERSION]
  if (typeof version !== 'string') return agreedVersion === null ? {} : { 'mcp-protocol-version': agreedVersion }
  const name = params?.name ?? params?.uri
  return {
    'mcp-protocol-version': version,
    'mcp-method': message.method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  }
}

/** The version in the answer to `initialize`; null when it has none. */
export function versionIn(message: JSONRPCMessage): string | null {
  const version = 'result' in message ? message.result.protocolVersion : null
  return typeof version === 'string' ? version : null
}

/** Text that a header cannot hold is sent as Base64, in the form that the protocol sets. */
const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
