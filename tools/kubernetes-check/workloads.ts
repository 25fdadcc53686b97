/** The pods of Deployments and Jobs: what each container gets from its environment and its files. */
import { mapAt, mapsAt, nameOf, namedTexts, ofKind, textAt, textsAt, type Json, type Manifest, type Texts } from './objects.ts'

export interface Workload {
  /** `Deployment order-api` */
  readonly name: string
  readonly manifest: Manifest
  readonly labels: Texts
  /** The pod's specification. */
  readonly pod: Json
  readonly containers: readonly Container[]
}

export interface Container {
  readonly spec: Json
  /** The service whose image it runs; `undefined` for other images. */
  readonly service: string | undefined
  /** Environment variables, those of ConfigMaps included. */
  readonly variables: Texts
  /** References to ConfigMaps or keys that do not exist. */
  readonly problems: readonly string[]
  /** Files that Secrets provide. */
  readonly files: readonly { readonly path: string; readonly secret: string; readonly key: string }[]
}

export function workloadsOf(objects: readonly Manifest[], kinds: readonly string[] = ['Deployment', 'Job']): Workload[] {
  return ofKind(objects, ...kinds).map((manifest) => {
    const pod = mapAt(manifest, 'spec.template.spec')
    const containers = [...mapsAt(pod, 'initContainers.*'), ...mapsAt(pod, 'containers.*')].map((spec) => ({
      spec,
      service: /(?:^|\/)payment-gateway\/([^/:@]+)/u.exec(textAt(spec, 'image'))?.[1],
      ...environmentOf(spec, objects),
      files: filesOf(spec, pod),
    }))
    return { name: nameOf(manifest), manifest, labels: namedTexts(manifest, 'spec.template.metadata.labels'), pod, containers }
  })
}

function environmentOf(spec: Json, objects: readonly Manifest[]): Pick<Container, 'variables' | 'problems'> {
  const maps = new Map(ofKind(objects, 'ConfigMap').map((map) => [map.metadata.name, namedTexts(map, 'data')]))
  const named = textsAt(spec, 'envFrom.*.configMapRef.name')
  const given = mapsAt(spec, 'env.*').map((variable) => {
    const { name = '', key = '' } = namedTexts(variable, 'valueFrom.configMapKeyRef')
    return [textAt(variable, 'name'), textsAt(variable, 'value')[0] ?? maps.get(name)?.[key]] as const
  })
  const whole = named.flatMap((name) => Object.entries(maps.get(name) ?? {}))
  return {
    variables: Object.fromEntries([...whole, ...given].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    problems: [
      ...named.filter((name) => !maps.has(name)).map((name) => `there is no ConfigMap ${name}`),
      ...given.filter(([, value]) => value === undefined).map(([name]) => `${name} has no value`),
    ],
  }
}

function filesOf(spec: Json, pod: Json): Container['files'] {
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
