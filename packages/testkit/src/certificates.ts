/** A certificate authority for one machine, and server certificates signed by it, as PEM texts. */
import 'reflect-metadata' // @peculiar/x509 needs it loaded first.
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

export interface KeyAndCertificate {
  /** Private key: PKCS #8, PEM. */
  readonly key: string
  /** X.509 certificate, PEM. */
  readonly cert: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 24 * 60 * 60 * 1000
const CA_DAYS = 3650
/** Longer ones are refused by some TLS clients (CA/Browser Forum, Baseline Requirements 6.3.2). */
const SERVER_DAYS = 397
/** The clock of a client that checks the certificate may be behind. */
const CLOCK_SKEW_MS = 60 * 60 * 1000

/** A new authority. A client that trusts its certificate trusts everything that its key signs: keep the key private. */
export async function createCa(commonName = 'Local test authority'): Promise<KeyAndCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: ALGORITHM,
    ...validFor(CA_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { key: await toPem(keys.privateKey), cert: certificate.toString('pem') }
}

/** A server certificate for host names and addresses, signed by `ca`; by default it is valid now. Its key is a new one each time. */
export async function issueServerCertificate({
  ca,
  hosts,
  validity = validFor(SERVER_DAYS),
}: {
  ca: KeyAndCertificate
  hosts: readonly string[]
  validity?: { readonly notBefore: Date; readonly notAfter: Date }
}): Promise<KeyAndCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const issuer = new x509.X509Certificate(ca.cert)
  const caKey = await webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(ca.key), ALGORITHM, false, ['sign'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [hosts[0] ?? 'localhost'] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: caKey,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return { key: await toPem(keys.privateKey), cert: certificate.toString('pem') }
}

function validFor(days: number): { notBefore: Date; notAfter: Date } {
  const notBefore = new Date(Date.now() - CLOCK_SKEW_MS)
  return { notBefore, notAfter: new Date(notBefore.getTime() + days * DAY_MS) }
}

async function toPem(privateKey: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), x509.PemConverter.PrivateKeyTag)
}
