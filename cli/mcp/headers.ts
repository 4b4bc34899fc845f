import type { JSONRPCMessage } from '@modelcontextprotocol/server'

const VERSION = 'io.modelcontextprotocol/protocolVersion'

/**
 * HTTP headers for a message. Since protocol version 2026-07-28 they repeat version, method and
 * name of the body; a 2025 client sends only the version negotiated by `initialize`.
 */
export function headersFor(message: JSONRPCMessage, agreedVersion: string | null): Record<string, string> {
  if (!('method' in message)) return {}
  // JSON-RPC parameters are an object here.
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

/** Protocol version in the result of `initialize`; null when absent. */
export function versionIn(message: JSONRPCMessage): string | null {
  const version = 'result' in message ? message.result.protocolVersion : null
  return typeof version === 'string' ? version : null
}

/** Encodes text that is not valid in a header as Base64, in the form of the MCP specification. */
const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
