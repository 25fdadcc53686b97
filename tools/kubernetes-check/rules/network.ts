/** Network policies allow the connections that the services' configuration names, and no others. */
import { isClosed, openEdges, ANYWHERE, INTERNET } from '../edges.ts'
import { variablesOf } from '../environment.ts'
import { containersOf, ofKind, workloadsOf, type Manifest } from '../manifests.ts'
import { behind, podsOf, type Pod } from '../pods.ts'

/** Addresses for shoppers' browsers: nobody here calls them. */
const NOT_CALLED = ['PUBLIC_URL']
/** Where pods of other namespaces listen with TLS; a Service's port is not what policies see. */
const TLS_PORT = 8443
const ENGINE_PORTS: Readonly<Record<string, string>> = { MONGO_URL_FILE: 'mongodb:27017', AMQP_URL_FILE: 'rabbitmq:5671' }

export function network(objects: readonly Manifest[]): string[] {
  const needed = neededEdges(objects)
  const open = openEdges(objects)
  const pods = new Set(podsOf(objects).map(({ name }) => name))
  // Other namespaces' own policies are theirs.
  const leaving = needed.filter((edge) => pods.has(edge.split(' → ')[0] ?? ''))
  const entering = needed.filter((edge) => pods.has(/ → (.+):[^:]+$/u.exec(edge)?.[1] ?? ''))
  return [
    ...(isClosed(objects) ? [] : ['no policy closes the namespace']),
    ...leaving.filter((edge) => !open.egress.has(edge)).map((edge) => `needed, and not allowed to leave: ${edge}`),
    ...entering.filter((edge) => !open.ingress.has(edge)).map((edge) => `needed, and not let in: ${edge}`),
    ...[...open.egress].filter((edge) => !leaving.includes(edge)).map((edge) => `allowed to leave, and not needed: ${edge}`),
    ...[...open.ingress].filter((edge) => !entering.includes(edge)).map((edge) => `let in, and not needed: ${edge}`),
  ]
}

function neededEdges(objects: readonly Manifest[]): string[] {
  const pods = podsOf(objects)
  return [...new Set([...configured(objects), ...fromOutside(objects, pods), ...ofEngines(pods), ...ofAll(pods)])]
}

/** What the services' own variables name. */
function configured(objects: readonly Manifest[]): string[] {
  return workloadsOf(objects).flatMap((workload) => {
    const from = workload.spec.template.metadata.labels['app.kubernetes.io/name'] ?? ''
    return containersOf(workload).flatMap((container) =>
      Object.entries(variablesOf(container, objects).variables).flatMap(([name, value]) => {
        if (NOT_CALLED.includes(name)) return []
        const to = ENGINE_PORTS[name] ?? neighbourAt(value, objects)
        return to === undefined ? [] : [`${from} → ${to}`, ...callbacks(name, to)]
      }),
    )
  })
}

/** A Service here, or one of another namespace as `<service>.<namespace>`. */
function neighbourAt(value: string, objects: readonly Manifest[]): string | undefined {
  const url = /^https?:/u.test(value) ? URL.parse(value) : null
  if (!url) return undefined
  const [service = '', namespace] = url.hostname.split('.')
  if (namespace !== undefined) return `namespace ${namespace}:${url.port === '' ? TLS_PORT : url.port}`
  return behind(service, url.port === '' ? 443 : Number(url.port), objects) ?? `no Service ${service}:${url.port}`
}

/** Who is asked to pay reports back. */
function callbacks(name: string, network: string): string[] {
  const [, namespace] = /^(namespace .+):/u.exec(network) ?? []
  return name === 'NETWORK_URL' && namespace !== undefined ? [`${namespace} → api-gateway:${TLS_PORT}`] : []
}

function fromOutside(objects: readonly Manifest[], pods: readonly Pod[]): string[] {
  const doors = ofKind(objects, 'Ingress').flatMap(({ spec }) =>
    spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => behind(backend.service.name, 443, objects) ?? '')),
  )
  const scraped = pods.flatMap(({ name, ports }) => (ports['metrics'] === undefined ? [] : [`${name}:${ports['metrics']}`]))
  const asked = ofKind(objects, 'ScaledObject').length > 0 ? ['rabbitmq:5671'] : []
  return [
    ...doors.map((door) => `namespace ingress → ${door}`),
    ...scraped.map((port) => `namespace monitoring → ${port}`),
    ...asked.map((port) => `namespace keda → ${port}`),
    `webhook-dispatcher → ${INTERNET}:443`,
  ]
}

/** Members among themselves, their operator, their metrics, and the API server by which they find one another. */
function ofEngines(pods: readonly Pod[]): string[] {
  const here = (name: string): boolean => pods.some((pod) => pod.name === name)
  const server = (name: string): string[] => ['443', '6443'].map((port) => `${name} → ${ANYWHERE}:${port}`)
  const rabbitmq = ['4369', '25672', '35672-35682'].map((port) => `rabbitmq → rabbitmq:${port}`)
  return [
    ...(here('mongodb') ? ['mongodb → mongodb:27017', ...server('mongodb')] : []),
    ...(here('rabbitmq')
      ? [
          ...rabbitmq,
          ...server('rabbitmq'),
          'namespace rabbitmq-system → rabbitmq:15671',
          'namespace monitoring → rabbitmq:15691',
        ]
      : []),
  ]
}

function ofAll(pods: readonly Pod[]): string[] {
  return pods.map(({ name }) => `${name} → namespace kube-system:53`)
}
