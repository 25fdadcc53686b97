/** Exactly the services that have an image are deployed, each with room for the heap that its image allows. */
import { globSync } from 'node:fs'
import { ROOT } from '@gateway-infra/system/paths'
import { ofKind, textAt, textsAt, type Manifest } from '../objects.ts'
import { readImageEnvironment, workloadsOf } from '../workloads.ts'

const OTHER_IMAGES = /^ghostunnel\/ghostunnel[:@]/u
const SANDBOX_ONLY = 'network-simulator'
/** What a process needs besides its heap: code, stacks, socket buffers. */
const BEYOND_HEAP_MI = 128

export function images(objects: readonly Manifest[]): string[] {
  const isSandbox = textsAt(ofKind(objects, 'ConfigMap'), '*.data.ENVIRONMENT').includes('sandbox')
  const servicesWith = (file: string): string[] =>
    globSync(`services/*/src/${file}`, { cwd: ROOT }).flatMap((path) => path.split('/').slice(1, 2))
  const built = servicesWith('main.ts').filter((service) => isSandbox || service !== SANDBOX_ONLY)
  const indexed = servicesWith('build-indexes.ts').filter((service) => built.includes(service))
  const problems = workloadsOf(objects).flatMap(({ name, containers }) =>
    containers.flatMap(({ service, spec }) => {
      const image = textAt(spec, 'image')
      const isKnown = service === undefined ? OTHER_IMAGES.test(image) : built.includes(service)
      const why = service === SANDBOX_ONLY ? `${service} is for the sandbox alone` : `nothing builds ${image}`
      return isKnown ? [] : [`${name}: ${why}`]
    }),
  )
  return [...problems, ...missing('Deployment', built, objects), ...missing('Job', indexed, objects)]
}

function missing(kind: string, services: readonly string[], objects: readonly Manifest[]): string[] {
  const deployed = workloadsOf(objects, [kind]).flatMap(({ containers }) => containers.map(({ service }) => service))
  return services.filter((service) => !deployed.includes(service)).map((service) => `there is no ${kind} of ${service}`)
}

export function memory(objects: readonly Manifest[]): string[] {
  const heapMi = Number(/--max-old-space-size=(\d+)/u.exec(readImageEnvironment()['NODE_OPTIONS'] ?? '')?.[1])
  return workloadsOf(objects).flatMap(({ name, containers }) =>
    containers.flatMap(({ service, spec }) => {
      const limit = textAt(spec, 'resources.limits.memory')
      const limitMi = Number.parseInt(limit, 10) * (limit.endsWith('Gi') ? 1024 : 1)
      const isEnough = service === undefined || limitMi >= heapMi + BEYOND_HEAP_MI
      return isEnough ? [] : [`${name} may use ${limit}: its heap alone may grow to ${heapMi}Mi`]
    }),
  )
}
