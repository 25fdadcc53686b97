/** Database and broker: the names, ports and Secrets that their operators make (at the versions in schemas/vendor.ts). */
import { ofKind, textAt, type Manifest } from './objects.ts'

export type Engine = ReturnType<typeof rabbitmq>

export function enginesOf(objects: readonly Manifest[]): Engine[] {
  return [...ofKind(objects, 'RabbitmqCluster').map(rabbitmq), ...ofKind(objects, 'MongoDBCommunity').map(mongodb)]
}

function rabbitmq({ metadata: { name, namespace = 'default' }, ...manifest }: Manifest) {
  const labels: Readonly<Record<string, string>> = { 'app.kubernetes.io/name': 'rabbitmq' }
  const certificate = textAt(manifest, 'spec.tls.secretName')
  return { name: 'rabbitmq', labels, port: '5671', hosts: [`${name}.${namespace}.svc`], certificate }
}

function mongodb({ metadata: { name, namespace = 'default' }, ...manifest }: Manifest): Engine {
  const hosts = Array.from(
    { length: Number(textAt(manifest, 'spec.members')) },
    (_, member) => `${name}-${member}.${name}-svc.${namespace}.svc.cluster.local`,
  )
  const certificate = textAt(manifest, 'spec.security.tls.certificateKeySecretRef.name')
  return { name: 'mongodb', labels: { app: 'mongodb-svc' }, port: '27017', hosts, certificate }
}
