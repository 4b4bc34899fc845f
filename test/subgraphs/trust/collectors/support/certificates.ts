import 'reflect-metadata'
import { webcrypto } from 'node:crypto'

type CryptoKeyPair = webcrypto.CryptoKeyPair

import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto as never)

const DAY = 86_400_000
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** An authority that signs, and its own certificate in PEM form. */
export type Authority = { readonly pem: string; readonly name: string; readonly keys: CryptoKeyPair }
export type Identity = { readonly key: string; readonly cert: string }

/** Without a `parent` a root of its own. */
export async function anAuthority(name = 'Test Root', parent?: Authority): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(EC, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${name}`,
    issuer: `CN=${parent?.name ?? name}`,
    notBefore: new Date(Date.now() - 1_000 * DAY),
    notAfter: new Date(Date.now() + 1_000 * DAY),
    publicKey: keys.publicKey,
    signingKey: (parent?.keys ?? keys).privateKey,
    signingAlgorithm: EC,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  })
  return { pem: certificate.toString('pem'), name, keys }
}

export type CertificateOptions = {
  readonly names?: readonly string[]
  readonly commonName?: string
  /** Days from now. */
  readonly from?: number
  readonly to?: number
  /** Null: it signs itself. */
  readonly authority: Authority | null
  readonly policy?: string
  readonly algorithm?: webcrypto.RsaHashedKeyGenParams
  /** Sent behind the certificate. */
  readonly chain?: readonly string[]
  /** Bytes of an extension that nobody knows. */
  readonly ballast?: number
}

export async function aCertificate({
  names = [],
  commonName = names[0] ?? 'x',
  from = -10,
  to = 80,
  authority,
  policy,
  algorithm,
  chain = [],
  ballast = 0,
}: CertificateOptions): Promise<Identity> {
  const keys = (await crypto.subtle.generateKey(algorithm ?? EC, true, ['sign', 'verify'])) as CryptoKeyPair
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${commonName}`,
    issuer: `CN=${authority?.name ?? commonName}`,
    notBefore: new Date(Date.now() + from * DAY),
    notAfter: new Date(Date.now() + to * DAY),
    publicKey: keys.publicKey,
    signingKey: (authority?.keys ?? keys).privateKey,
    signingAlgorithm: authority ? EC : (algorithm ?? EC),
    extensions: [
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))] : []),
      ...(policy ? [new x509.CertificatePolicyExtension([policy])] : []),
      ...(ballast > 0 ? [new x509.Extension('1.3.6.1.4.1.99999.1', false, new Uint8Array(ballast))] : []),
    ],
  })
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`,
    cert: [certificate.toString('pem'), ...chain].join('\n'),
  }
}

const serial = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(8)))
    .toString('hex')
    .replace(/^[89a-f]/, '1')
