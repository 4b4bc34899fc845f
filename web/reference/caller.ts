import type { Contract, ReferenceOperation, SecurityScheme } from './contract.ts'

/** How a scheme is used, for people. */
export function describeScheme({ type, scheme, in: location, name }: SecurityScheme): string {
  if (type === 'apiKey') return location === 'query' ? `The parameter ${name}` : `The header ${name}`
  if (type === 'oauth2') return 'A token of OAuth in Authorization: Bearer'
  return scheme === 'basic' ? 'HTTP Basic' : 'A token in Authorization: Bearer'
}

/** What a program sends to say who it is, from variables of its environment. */
export type Credential =
  | { readonly kind: 'header'; readonly name: string; readonly variable: string }
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer' }

/** What a request of this operation sends for who asks; empty where anybody may ask. */
export function credentials(operation: ReferenceOperation, contract: Contract): readonly Credential[] {
  const schemes = contract.components?.securitySchemes ?? {}
  const requirements = (operation.security ?? contract.security ?? []).map((method) =>
    Object.keys(method).map((name) => schemes[name]),
  )
  // Addresses are written down in many places, so credentials in them are nothing to recommend.
  const usable = requirements.find((route) => route.every((scheme) => scheme !== undefined && scheme.in !== 'query'))
  return (usable ?? []).flatMap((scheme) => (scheme ? [credential(scheme)] : []))
}

function credential({ type, scheme, name = '' }: SecurityScheme): Credential {
  if (type === 'apiKey') return { kind: 'header', name, variable: name.replace(/^x-/i, '').replaceAll('-', '_').toUpperCase() }
  return { kind: scheme === 'basic' ? 'basic' : 'bearer' }
}
