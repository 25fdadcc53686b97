/** A service's memory limit has room for the heap that its image allows. */
import { readImageEnvironment } from '../code.ts'
import { textAt, type Manifest } from '../objects.ts'
import { workloadsOf } from '../workloads.ts'

/** What a process needs besides its heap: code, stacks, socket buffers. */
const BEYOND_HEAP_MI = 128

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
