/** Network policies allow the connections that the services' configuration names, and no others. */
import { isDeepStrictEqual } from 'node:util'
import { allowedEdges, ANYWHERE, INTERNET, podsOf, selects, type Pod } from '../edges.ts'
import { enginesOf } from '../engines.ts'
import { mapAt, mapsAt, ofKind, textAt, textsAt, type Manifest } from '../objects.ts'
import { workloadsOf } from '../workloads.ts'

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
