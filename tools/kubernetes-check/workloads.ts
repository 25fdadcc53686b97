/** The pods of Deployments and Jobs, with the environment and files of each container; and database and broker. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { mapAt, mapsAt, nameOf, namedTexts, ofKind, textAt, textsAt, type Json, type Manifest, type Texts } from './objects.ts'

export type Workload = ReturnType<typeof workloadsOf>[number]
export type Container = Workload['containers'][number]

export function workloadsOf(objects: readonly Manifest[], kinds: readonly string[] = ['Deployment', 'Job']) {
  return ofKind(objects, ...kinds).map((manifest) => {
    const pod = mapAt(manifest, 'spec.template.spec')
    const containers = [...mapsAt(pod, 'initContainers.*'), ...mapsAt(pod, 'containers.*')].map((spec) => ({
      spec,
      /** The service whose image it runs; `undefined` for other images. */
      service: /(?:^|\/)payment-gateway\/([^/:@]+)/u.exec(textAt(spec, 'image'))?.[1],
      ...environmentOf(spec, objects),
      files: filesOf(spec, pod),
    }))
    return { name: nameOf(manifest), manifest, labels: namedTexts(manifest, 'spec.template.metadata.labels'), pod, containers }
  })
}

/** Environment variables, those of ConfigMaps included, and references to ConfigMaps or keys that do not exist. */
function environmentOf(spec: Json, objects: readonly Manifest[]) {
  const maps = new Map(ofKind(objects, 'ConfigMap').map((map) => [map.metadata.name, namedTexts(map, 'data')]))
  const named = textsAt(spec, 'envFrom.*.configMapRef.name')
  const given = mapsAt(spec, 'env.*').map((variable) => {
    const { name = '', key = '' } = namedTexts(variable, 'valueFrom.configMapKeyRef')
    return [textAt(variable, 'name'), textsAt(variable, 'value')[0] ?? maps.get(name)?.[key]] as const
  })
  const whole = named.flatMap((name) => Object.entries(maps.get(name) ?? {}))
  const set = [...whole, ...given].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return {
    variables: Object.fromEntries(set) as Texts,
    problems: [
      ...named.filter((name) => !maps.has(name)).map((name) => `there is no ConfigMap ${name}`),
      ...given.filter(([, value]) => value === undefined).map(([name]) => `${name} has no value`),
    ],
  }
}

/** Files that Secrets provide. */
function filesOf(spec: Json, pod: Json) {
  return mapsAt(spec, 'volumeMounts.*').flatMap((mount) => {
    const secrets = mapsAt(pod, 'volumes.*').filter(({ name }) => name === mount['name'])
    return mapsAt(secrets, '*.projected.sources.*.secret').flatMap((secret) =>
      mapsAt(secret, 'items.*').map((item) => ({
        path: `${textAt(mount, 'mountPath')}/${textAt(item, 'path')}`,
        secret: textAt(secret, 'name'),
        key: textAt(item, 'key'),
      })),
    )
  })
}

/** The variables that the Dockerfile sets: every container's environment starts with them. */
export function readImageEnvironment(): Texts {
  const lines = readFileSync(join(ROOT, 'infra/images/Dockerfile'), 'utf8').matchAll(/^ENV (.+)$/gmu)
  const pairs = [...lines].flatMap(([, line = '']) => [...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/gu)])
  return Object.fromEntries(pairs.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']))
}

/** Database and broker: the names, ports and Secrets that their operators make (at the versions in schemas/vendor.ts). */
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
