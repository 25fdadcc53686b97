/** Database and broker: the names, ports and Secrets that their operators make (at the versions in schemas/vendor.ts). */
import { ofKind, textAt, type Manifest, type Texts } from './objects.ts'

export function enginesOf(objects: readonly Manifest[]) {
  const brokers = ofKind(objects, 'RabbitmqCluster').map(({ metadata: { name, namespace = 'default' }, spec }) => {
    const labels: Texts = { 'app.kubernetes.io/name': 'rabbitmq' }
    const certificate = textAt(spec, 'tls.secretName')
    return { name: 'rabbitmq', labels, port: '5671', hosts: [`${name}.${namespace}.svc`], certificate }
  })
  const databases = ofKind(objects, 'MongoDBCommunity').map(({ metadata: { name, namespace = 'default' }, spec }) => {
    const members = [...Array(Number(textAt(spec, 'members'))).keys()]
    const hosts = members.map((member) => `${name}-${member}.${name}-svc.${namespace}.svc.cluster.local`)
    const certificate = textAt(spec, 'security.tls.certificateKeySecretRef.name')
    return { name: 'mongodb', labels: { app: 'mongodb-svc' }, port: '27017', hosts, certificate }
  })
  return [...brokers, ...databases]
}
