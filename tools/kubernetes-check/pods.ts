/** Who is in the namespace, as network policies see it: pods of ours by workload, and those that the operators start. */
import { containersOf, ofKind, workloadsOf, type Labels, type Manifest } from './manifests.ts'

export interface Pod {
  readonly name: string
  readonly labels: Labels
  /** Ports that have a name. */
  readonly ports: Readonly<Record<string, number>>
}

/** The labels that the operators give to pods, and where they listen with TLS. */
const ENGINES: Readonly<Record<string, Pod>> = {
  RabbitmqCluster: { name: 'rabbitmq', labels: { 'app.kubernetes.io/name': 'rabbitmq' }, ports: { amqps: 5671 } },
  MongoDBCommunity: { name: 'mongodb', labels: { app: 'mongodb-svc' }, ports: { mongodb: 27017 } },
}

export function podsOf(objects: readonly Manifest[]): Pod[] {
  const ours = workloadsOf(objects).map((workload) => ({
    name: workload.spec.template.metadata.labels['app.kubernetes.io/name'] ?? '',
    labels: workload.spec.template.metadata.labels,
    ports: Object.fromEntries(
      containersOf(workload).flatMap(({ ports = [] }) => ports.map(({ name = '', containerPort }) => [name, containerPort])),
    ),
  }))
  const engines = objects.flatMap(({ kind }) => {
    const engine = ENGINES[kind]
    return engine ? [engine] : []
  })
  return [...ours, ...engines]
}

/** Where a Service's port leads: a pod's name and port. */
export function behind(service: string, port: number, objects: readonly Manifest[]): string | undefined {
  const found = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === service)
  const target = found?.spec.ports.find((one) => one.port === port)?.targetPort
  if (!found || target === undefined) return undefined
  const pod = podsOf(objects).find(({ labels }) =>
    Object.entries(found.spec.selector).every(([key, value]) => labels[key] === value),
  )
  const number = typeof target === 'number' ? target : pod?.ports[target]
  return pod && number !== undefined ? `${pod.name}:${number}` : undefined
}
