/** How every pod of ours is: probed, locked down, with room for its heap. */
import { readImageEnvironment } from '../deployment.ts'
import {
  containersOf,
  nameOf,
  ofKind,
  serviceOf,
  workloadsOf,
  type Container,
  type Manifest,
  type Workload,
} from '../manifests.ts'

const PROBES = { startupProbe: '/healthz', readinessProbe: '/readyz', livenessProbe: '/healthz' } as const
const MEBIBYTES: Readonly<Record<string, number>> = { Mi: 1, Gi: 1024 }
/** What a process needs beyond its heap: code, stacks, buffers of sockets. */
const BEYOND_HEAP_MI = 128

/** All three probes of everything that keeps running, and a service's own on what they are for. */
export function probes(objects: readonly Manifest[]): string[] {
  return ofKind(objects, 'Deployment').flatMap((workload) =>
    containersOf(workload).flatMap((container) =>
      Object.entries(PROBES).flatMap(([name, path]) => {
        const { [name as keyof typeof PROBES]: probe } = container
        const where = `${nameOf(workload)}, ${container.name}`
        if (!probe) return [`${where}: no ${name}`]
        const asked = probe.httpGet?.path
        return serviceOf(container) !== undefined && asked !== path
          ? [`${where}: ${name} asks ${asked ?? 'a port'}, not ${path}`]
          : []
      }),
    ),
  )
}

/** As the profile "restricted" of Kubernetes wants it, and more: nothing can be written but /tmp, and no token is mounted. */
export function lockedDown(objects: readonly Manifest[]): string[] {
  return workloadsOf(objects).flatMap((workload) => {
    const pod = workload.spec.template.spec
    const { runAsNonRoot, runAsUser = 0, seccompProfile } = pod.securityContext ?? {}
    const wrong: readonly (readonly [boolean, string])[] = [
      [runAsNonRoot !== true || runAsUser === 0, 'may run as root'],
      [seccompProfile?.type !== 'RuntimeDefault', 'has no seccomp profile'],
      [pod.automountServiceAccountToken !== false, "mounts a token of the cluster's API"],
      // Kubernetes would add variables of its own, such as CHECKOUT_PORT.
      [pod.enableServiceLinks !== false, 'is told of all Services by its environment'],
      [[pod.hostNetwork, pod.hostPID, pod.hostIPC].includes(true), "shares the host's namespaces"],
      [(pod.volumes ?? []).some(({ hostPath }) => hostPath !== undefined), "mounts the host's files"],
    ]
    const ofPod = wrong.filter(([is]) => is).map(([, what]) => `${nameOf(workload)} ${what}`)
    return [...ofPod, ...containersOf(workload).flatMap((container) => openings(workload, container))]
  })
}

function openings(workload: Workload, { name, securityContext = {}, volumeMounts = [] }: Container): string[] {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, privileged, capabilities } = securityContext
  const wrong: readonly (readonly [boolean, string])[] = [
    [allowPrivilegeEscalation !== false || privileged === true, 'may gain privileges'],
    [readOnlyRootFilesystem !== true, 'may write to its file system'],
    [capabilities?.drop?.includes('ALL') !== true || capabilities.add !== undefined, 'has capabilities'],
    [volumeMounts.some(({ mountPath, readOnly }) => readOnly !== true && mountPath !== '/tmp'), 'may write elsewhere than /tmp'],
  ]
  return wrong.filter(([is]) => is).map(([, what]) => `${nameOf(workload)}, ${name} ${what}`)
}

/** Requests of both, a limit of memory that the image's heap fits into, and none of CPU. */
export function resources(objects: readonly Manifest[]): string[] {
  const heapMi = Number(/--max-old-space-size=(\d+)/u.exec(readImageEnvironment()['NODE_OPTIONS'] ?? '')?.[1])
  return workloadsOf(objects).flatMap((workload) =>
    containersOf(workload).flatMap((container) => {
      const { requests = {}, limits = {} } = container.resources ?? {}
      const where = `${nameOf(workload)}, ${container.name}`
      const missing = ['cpu', 'memory']
        .filter((what) => requests[what] === undefined)
        .map((what) => `${where} requests no ${what}`)
      const limitMi = mebibytes(limits['memory'])
      if (limitMi === undefined) return [...missing, `${where} has no limit of memory in Mi or Gi`]
      if (serviceOf(container) !== undefined && limitMi < heapMi + BEYOND_HEAP_MI)
        missing.push(`${where} may use ${limitMi}Mi: its heap alone may grow to ${heapMi}Mi`)
      return limits['cpu'] === undefined ? missing : [...missing, `${where} would be throttled: a limit of CPU`]
    }),
  )
}

function mebibytes(quantity = ''): number | undefined {
  const [, amount, unit = ''] = /^(\d+)(Mi|Gi)$/u.exec(quantity) ?? []
  return amount === undefined ? undefined : Number(amount) * (MEBIBYTES[unit] ?? 0)
}
