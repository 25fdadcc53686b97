/** Network policies allow the connections that the services' configuration names, and no others. */
import { isDeepStrictEqual } from 'node:util'
import { enginesOf, workloadsOf } from '../workloads.ts'
import { mapAt, mapsAt, namedTexts, ofKind, textAt, textsAt, type Json, type Manifest, type Texts } from '../objects.ts'

const ANYWHERE = 'anywhere'
const INTERNET = 'the internet'

/** Addresses for shoppers' browsers; no pod calls them. */
const NOT_CALLED = ['PUBLIC_URL']
/** The TLS port of pods in other namespaces: policies see a pod's port, not its Service's. */
const TLS_PORT = '8443'
/** Selects every pod and allows nothing. */
const DENIES_ALL = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }
const ENGINE_OF: Readonly<Record<string, string>> = { MONGO_URL_FILE: 'mongodb:27017', AMQP_URL_FILE: 'rabbitmq:5671' }

export function network(objects: readonly Manifest[]): string[] {
  const policies = mapsAt(ofKind(objects, 'NetworkPolicy'), '*.spec')
  const pods = podsOf(objects)
  const here = new Set(pods.map(({ name }) => name))
  const needed = [...new Set([...configured(objects, pods), ...fromOutside(objects, pods), ...ofEngines(objects)])]
  // The policies of other namespaces belong to their owners.
  const leaving = needed.filter((edge) => here.has(edge.split(' → ')[0] ?? ''))
  const entering = needed.filter((edge) => here.has(/ → (.+):[^:]+$/u.exec(edge)?.[1] ?? ''))
  const [egress, ingress] = [allowedEdges(objects, 'Egress'), allowedEdges(objects, 'Ingress')]
  return [
    ...(policies.some((policy) => isDeepStrictEqual(policy, DENIES_ALL)) ? [] : ['no policy closes the namespace']),
    ...leaving.filter((edge) => !egress.has(edge)).map((edge) => `needed, and not allowed to leave: ${edge}`),
    ...entering.filter((edge) => !ingress.has(edge)).map((edge) => `needed, and not let in: ${edge}`),
    ...[...egress].filter((edge) => !leaving.includes(edge)).map((edge) => `allowed to leave, and not needed: ${edge}`),
    ...[...ingress].filter((edge) => !entering.includes(edge)).map((edge) => `let in, and not needed: ${edge}`),
  ]
}

/** The connections that the services' variables name, and the network's callbacks. */
function configured(objects: readonly Manifest[], pods: readonly Pod[]): string[] {
  return workloadsOf(objects).flatMap(({ labels, containers }) =>
    containers
      .flatMap(({ variables }) => Object.entries(variables))
      .filter(([name]) => !NOT_CALLED.includes(name))
      .flatMap(([name, value]) => {
        const to = ENGINE_OF[name] ?? calledAt(value, objects, pods)
        if (to === undefined) return []
        const [, namespace] = /^(namespace .+):/u.exec(to) ?? []
        const callback = name === 'NETWORK_URL' && namespace !== undefined ? [`${namespace} → api-gateway:${TLS_PORT}`] : []
        return [`${labels['app.kubernetes.io/name'] ?? ''} → ${to}`, ...callback]
      }),
  )
}

/** What a URL reaches: a pod behind a Service, or another namespace as in `<service>.<namespace>`. */
function calledAt(value: string, objects: readonly Manifest[], pods: readonly Pod[]): string | undefined {
  const url = /^https?:/u.test(value) ? URL.parse(value) : null
  if (!url) return undefined
  const [service = '', namespace] = url.hostname.split('.')
  if (namespace !== undefined) return `namespace ${namespace}:${url.port || TLS_PORT}`
  return behind(service, url.port || '443', objects, pods) ?? `no Service ${service}:${url.port}`
}

/** The pod and port to which a Service forwards. */
function behind(name: string, port: string, objects: readonly Manifest[], pods: readonly Pod[]): string | undefined {
  const service = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === name)
  const target = textAt(
    mapsAt(service, 'spec.ports.*').find((one) => textAt(one, 'port') === port),
    'targetPort',
  )
  const pod = pods.find(({ labels }) => selects({ matchLabels: mapAt(service, 'spec.selector') }, labels))
  return service && target !== '' && pod ? `${pod.name}:${pod.ports[target] ?? target}` : undefined
}

function fromOutside(objects: readonly Manifest[], pods: readonly Pod[]): string[] {
  const published = textsAt(ofKind(objects, 'Ingress'), '*.spec.rules.*.http.paths.*.backend.service.name')
  return [
    ...published.map((service) => `namespace ingress → ${behind(service, '443', objects, pods) ?? ''}`),
    ...pods.flatMap(({ name, ports: { metrics } }) =>
      metrics === undefined ? [] : [`namespace monitoring → ${name}:${metrics}`],
    ),
    ...(ofKind(objects, 'ScaledObject').length > 0 ? ['namespace keda → rabbitmq:5671'] : []),
    `webhook-dispatcher → ${INTERNET}:443`,
    // Every pod asks the cluster's name server.
    ...pods.map(({ name }) => `${name} → namespace kube-system:53`),
  ]
}

/** Between an engine's members, from its operator and Prometheus, and to the API server, which members ask for one another. */
function ofEngines(objects: readonly Manifest[]): string[] {
  const ofBroker = ['namespace rabbitmq-system → rabbitmq:15671', 'namespace monitoring → rabbitmq:15691']
  return enginesOf(objects).flatMap(({ name }) => [
    ...['443', '6443'].map((port) => `${name} → ${ANYWHERE}:${port}`),
    ...(name === 'mongodb' ? ['27017'] : ['4369', '25672', '35672-35682']).map((port) => `${name} → ${name}:${port}`),
    ...(name === 'rabbitmq' ? ofBroker : []),
  ])
}

/** A pod; `ports` has its port numbers by name. */
type Pod = Readonly<{ name: string; labels: Texts; ports: Texts }>

/** The pods in the namespace: those of workloads, and those that the operators start. */
function podsOf(objects: readonly Manifest[]): Pod[] {
  const ours = workloadsOf(objects).map(({ labels, containers }) => {
    const ports = mapsAt(containers, '*.spec.ports.*').map((port) => [textAt(port, 'name'), textAt(port, 'containerPort')])
    return { name: labels['app.kubernetes.io/name'] ?? '', labels, ports: Object.fromEntries(ports) as Texts }
  })
  return [...ours, ...enginesOf(objects).map(({ name, labels }) => ({ name, labels, ports: {} }))]
}

/** Whether a selector matches these labels; an empty one matches all. */
export function selects(selector: Json, labels: Texts): boolean {
  const expressions = mapsAt(selector, 'matchExpressions.*')
  if (expressions.some(({ operator }) => operator !== 'In')) throw new Error('a selector has another operator than `In`')
  return (
    Object.entries(namedTexts(selector, 'matchLabels')).every(([key, value]) => labels[key] === value) &&
    expressions.every((one) => textsAt(one, 'values.*').includes(labels[textAt(one, 'key')] ?? ''))
  )
}

/** What the policies allow pods to send (`Egress`) or to receive (`Ingress`), such as `order-api → mongodb:27017`. They only add to one another. */
function allowedEdges(objects: readonly Manifest[], direction: 'Egress' | 'Ingress'): Set<string> {
  const pods = podsOf(objects)
  const policies = ofKind(objects, 'NetworkPolicy').filter((one) => textsAt(one, 'spec.policyTypes.*').includes(direction))
  const edges = policies.flatMap((policy) => {
    const selected = pods.filter(({ labels }) => selects(mapAt(policy, 'spec.podSelector'), labels))
    return mapsAt(policy, `spec.${direction.toLowerCase()}.*`).flatMap((rule) => {
      const peers = peersOf(rule, direction === 'Egress' ? 'to' : 'from', pods)
      const [senders, receivers] = direction === 'Egress' ? [selected, peers] : [peers, selected]
      const ends = receivers.flatMap((to) => portsOf(rule, to).map((port) => `${to.name}:${port}`))
      return senders.flatMap(({ name }) => ends.map((end) => `${name} → ${end}`))
    })
  })
  return new Set(edges)
}

function peersOf(rule: Json, key: 'to' | 'from', pods: readonly Pod[]): readonly Pod[] {
  const other = (name: string): Pod[] => [{ name, labels: {}, ports: {} }]
  if (!(key in rule)) return other(ANYWHERE)
  return mapsAt(rule, `${key}.*`).flatMap((peer) => {
    // A test compares the excluded addresses with the dispatcher's own list (pages.test.ts).
    if ('ipBlock' in peer) return other(INTERNET)
    const namespace = namedTexts(peer, 'namespaceSelector.matchLabels')['kubernetes.io/metadata.name']
    if ('namespaceSelector' in peer) return other(`namespace ${namespace ?? ANYWHERE}`)
    return pods.filter(({ labels }) => selects(mapAt(peer, 'podSelector'), labels))
  })
}

/** The port numbers of a rule; `*` for all. A name that the receiving pod does not give to a port allows nothing. */
function portsOf(rule: Json, { ports }: Pod): string[] {
  if (!('ports' in rule)) return ['*']
  return mapsAt(rule, 'ports.*').flatMap((one) => {
    const port = textAt(one, 'port')
    if ('endPort' in one) return [`${port}-${textAt(one, 'endPort')}`]
    return /^\d+$/u.test(port) ? [port] : (ports[port] ?? [])
  })
}
