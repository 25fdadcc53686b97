/** Every Secret that is read is written by somebody, and every certificate says the name that its owner is called by. */
import { brokerHosts, mongoHosts, writtenSecrets } from '../engines.ts'
import { secretFilesOf, variablesOf } from '../environment.ts'
import { containersOf, nameOf, ofKind, workloadsOf, type Manifest, type Workload } from '../manifests.ts'

export function secrets(objects: readonly Manifest[]): string[] {
  const keys = new Map(writtenSecrets(objects).map(({ name, keys: written }) => [name, written]))
  const read = [
    ...workloadsOf(objects).flatMap(secretsOf),
    ...ofKind(objects, 'TriggerAuthentication').flatMap((by) =>
      (by.spec.secretTargetRef ?? []).map(({ name, key }) => ({ by, name, key })),
    ),
  ]
  const unwritten = read
    // A service's own Secret is made by hand (docs/operations/kubernetes.md).
    .filter(({ by, name }) => name !== by.metadata.name)
    .filter(({ name, key }) => keys.get(name)?.includes(key) !== true)
    .map(({ by, name, key }) => `${nameOf(by)} reads ${key} of ${name}, which nobody writes`)
  return [...new Set(unwritten), ...signIns(objects), ...certificates(objects)]
}

function secretsOf(workload: Workload): { by: Manifest; name: string; key: string }[] {
  const pod = workload.spec.template.spec
  const files = containersOf(workload).flatMap((container) => secretFilesOf(container, pod))
  const whole = (pod.volumes ?? []).flatMap(({ secret }) => (secret ? [secret.secretName] : []))
  return [
    ...files.map(({ secret, key }) => ({ by: workload, name: secret, key })),
    ...whole.map((name) => ({ by: workload, name, key: 'tls.key' })),
  ]
}

function signIns(objects: readonly Manifest[]): string[] {
  const known = ofKind(objects, 'TriggerAuthentication').map(({ metadata }) => metadata.name)
  return ofKind(objects, 'ScaledObject').flatMap((scaler) =>
    (scaler.spec.triggers ?? [])
      .flatMap(({ authenticationRef }) => (authenticationRef ? [authenticationRef.name] : []))
      .filter((name) => !known.includes(name))
      .map((name) => `${nameOf(scaler)}: there is no TriggerAuthentication ${name}`),
  )
}

interface Called {
  readonly host: string
  /** What it shows when it is called. */
  readonly secret: string
}

function certificates(objects: readonly Manifest[]): string[] {
  const all = ofKind(objects, 'Certificate')
  const issuers = ofKind(objects, 'Issuer').map(({ metadata }) => metadata.name)
  const isNamed = ({ secret, host }: Called): boolean =>
    all
      .filter(({ spec }) => spec.secretName === secret)
      .some(({ spec }) => (spec.dnsNames ?? []).some((name) => covers(name, host)))
  return [
    ...all
      .filter(({ spec }) => !issuers.includes(spec.issuerRef.name))
      .map((one) => `${nameOf(one)}: there is no Issuer ${one.spec.issuerRef.name}`),
    ...[...services(objects), ...engines(objects)]
      .filter((called) => !isNamed(called))
      .map(({ secret, host }) => `${host} shows ${secret}, which is not a certificate of that name`),
  ]
}

/** Those that any variable names. */
function services(objects: readonly Manifest[]): Called[] {
  const names = ofKind(objects, 'Service').map(({ metadata }) => metadata.name)
  const values = workloadsOf(objects).flatMap((workload) =>
    containersOf(workload).flatMap((container) => Object.values(variablesOf(container, objects).variables)),
  )
  const hosts = values.flatMap((value) => (value.startsWith('https:') ? [URL.parse(value)?.hostname ?? ''] : []))
  return [...new Set(hosts)].filter((host) => names.includes(host)).map((host) => ({ host, secret: `${host}-tls` }))
}

function engines(objects: readonly Manifest[]): Called[] {
  const database = ofKind(objects, 'MongoDBCommunity').map(({ spec }) => spec.security?.tls.certificateKeySecretRef.name ?? '')
  const broker = ofKind(objects, 'RabbitmqCluster').map(({ spec }) => spec.tls?.secretName ?? '')
  return [
    ...database.flatMap((secret) => mongoHosts(objects).map((host) => ({ host, secret }))),
    ...broker.flatMap((secret) => brokerHosts(objects).map((host) => ({ host, secret }))),
  ]
}

/** A star is one label (RFC 6125). */
function covers(name: string, host: string): boolean {
  return name === host || (name.startsWith('*.') && host.split('.').slice(1).join('.') === name.slice(2))
}
