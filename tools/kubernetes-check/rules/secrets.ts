/** Every Secret that is read has a source, and every certificate covers the host name that callers use. */
import { enginesOf, workloadsOf } from '../workloads.ts'
import { mapsAt, nameOf, ofKind, textAt, textsAt, type Manifest } from '../objects.ts'

export function secrets(objects: readonly Manifest[]): string[] {
  const written = writtenSecrets(objects)
  const unwritten = readSecrets(objects)
    // Each service's own Secret is created by hand (docs/operations/kubernetes.md).
    .filter(({ by, secret, key }) => secret !== by.metadata.name && !written.has(`${key} of ${secret}`))
    .map(({ by, secret, key }) => `${nameOf(by)} reads ${key} of ${secret}, which nothing creates`)
  const signIns = ofKind(objects, 'TriggerAuthentication').map(({ metadata }) => metadata.name)
  const unknown = ofKind(objects, 'ScaledObject').flatMap((scaler) =>
    textsAt(scaler, 'spec.triggers.*.authenticationRef.name')
      .filter((name) => !signIns.includes(name))
      .map((name) => `${nameOf(scaler)}: there is no TriggerAuthentication ${name}`),
  )
  return [...new Set(unwritten), ...unknown, ...certificates(objects)]
}

/** `<key> of <Secret>` for all that operators write. */
function writtenSecrets(objects: readonly Manifest[]): ReadonlySet<string> {
  const keysOf = (kind: string, path: string, ...keys: readonly string[]): string[] =>
    textsAt(ofKind(objects, kind), path).flatMap((name) => keys.map((key) => `${key} of ${name}`))
  return new Set([
    ...keysOf('MongoDBCommunity', '*.spec.users.*.connectionStringSecretName', 'connectionString.standard', 'password'),
    ...keysOf('RabbitmqCluster', '*.metadata.name', 'connection_string', 'username', 'password').map(
      (key) => `${key}-default-user`,
    ),
    ...keysOf('Certificate', '*.spec.secretName', 'ca.crt', 'tls.crt', 'tls.key'),
  ])
}

function readSecrets(objects: readonly Manifest[]): { by: Manifest; secret: string; key: string }[] {
  const pods = workloadsOf(objects).flatMap(({ manifest: by, pod, containers }) => [
    ...containers.flatMap(({ files }) => files.map(({ secret, key }) => ({ by, secret, key }))),
    ...textsAt(pod, 'volumes.*.secret.secretName').map((secret) => ({ by, secret, key: 'tls.key' })),
  ])
  const scalers = ofKind(objects, 'TriggerAuthentication').flatMap((by) =>
    mapsAt(by, 'spec.secretTargetRef.*').map((read) => ({ by, secret: textAt(read, 'name'), key: textAt(read, 'key') })),
  )
  return [...pods, ...scalers]
}

function certificates(objects: readonly Manifest[]): string[] {
  const all = ofKind(objects, 'Certificate')
  const issuers = ofKind(objects, 'Issuer').map(({ metadata }) => metadata.name)
  const issuerOf = (certificate: Manifest): string => textAt(certificate, 'spec.issuerRef.name')
  const shown = [
    ...calledServices(objects).map((host) => ({ host, certificate: `${host}-tls` })),
    ...enginesOf(objects).flatMap(({ hosts, certificate }) => hosts.map((host) => ({ host, certificate }))),
  ]
  const uncovered = shown.filter(({ host, certificate }) => {
    const own = all.filter(({ spec }) => textAt(spec, 'secretName') === certificate)
    return !textsAt(own, '*.spec.dnsNames.*').some((name) => covers(name, host))
  })
  return [
    ...all.filter((one) => !issuers.includes(issuerOf(one))).map((one) => `${nameOf(one)}: there is no Issuer ${issuerOf(one)}`),
    ...uncovered.map(({ host, certificate }) => `${host} shows ${certificate}, which is not a certificate of that name`),
  ]
}

/** The Services that a variable names with HTTPS. */
function calledServices(objects: readonly Manifest[]): string[] {
  const values = workloadsOf(objects).flatMap(({ containers }) => containers.flatMap(({ variables }) => Object.values(variables)))
  const hosts = new Set(values.filter((value) => value.startsWith('https:')).map((value) => URL.parse(value)?.hostname))
  return textsAt(ofKind(objects, 'Service'), '*.metadata.name').filter((name) => hosts.has(name))
}

/** A star stands for one label (RFC 6125). */
function covers(name: string, host: string): boolean {
  return name === host || (name.startsWith('*.') && host.split('.').slice(1).join('.') === name.slice(2))
}
