import type { Contract, ReferenceOperation, SecurityScheme } from './contract.ts'

/** How a scheme is used, for people. */
export function describeScheme({ type, scheme, in: location, name }: SecurityScheme): string {
  if (type === 'apiKey') return location === 'query' ? `The parameter ${name}` : `The header ${name}`
  if (type === 'oauth2') return 'A token of OAuth in Authorization: Bearer'
  return scheme === 'basic' ? 'HTTP Basic' : 'A token in Authorization: Bearer'
}

/**
 * What a command sends for who asks, as arguments of curl with shell variables; empty where anybody
 * may ask.
 */
export function credentials(operation: ReferenceOperation, contract: Contract): readonly string[] {
  const schemes = contract.components?.securitySchemes ?? {}
  const requirements = (operation.security ?? contract.security ?? []).map((method) =>
    Object.keys(method).map((name) => schemes[name]),
  )
  // Addresses are written down in many places, so credentials in them are nothing to recommend.
  const usable = requirements.find((route) => route.every((scheme) => scheme !== undefined && scheme.in !== 'query'))
  return (usable ?? []).flatMap((scheme) => (scheme ? [argument(scheme)] : []))
}

function argument({ type, scheme, name = '' }: SecurityScheme): string {
  if (type === 'apiKey') return `-H "${name}: $${name.replace(/^x-/i, '').replaceAll('-', '_').toUpperCase()}"`
  return scheme === 'basic' ? '-u "$LOGIN:$TOKEN"' : '-H "Authorization: Bearer $TOKEN"'
}
