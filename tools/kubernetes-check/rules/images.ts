/** What is deployed is what is built, all of it, each under a version. */
import { builtServices, indexedServices } from '../deployment.ts'
import { containersOf, nameOf, ofKind, serviceOf, workloadsOf, type Manifest } from '../manifests.ts'

/** Not ours, and known. */
const OTHERS = ['ghostunnel/ghostunnel']
const SANDBOX_ONLY = ['network-simulator']

export function images(objects: readonly Manifest[]): string[] {
  const built = builtServices()
  const problems = workloadsOf(objects).flatMap((workload) =>
    containersOf(workload).flatMap((container) => {
      const { image } = container
      const [, repository = image, version = ''] = /^(.+?)(?:[:@]((?:sha256:)?[\w.-]+))?$/u.exec(image) ?? []
      const service = serviceOf(container)
      const known = service === undefined ? OTHERS.includes(repository) : built.includes(service)
      return [
        ...(known ? [] : [`${nameOf(workload)}: nobody builds ${image}`]),
        ...(version === '' || version === 'latest' ? [`${nameOf(workload)}: ${image} has no version`] : []),
      ]
    }),
  )
  return [...problems, ...missing('Deployment', built, objects), ...missing('Job', indexedServices(), objects)]
}

/** Services of which there is no workload, in an environment that has them. */
function missing(kind: 'Deployment' | 'Job', services: readonly string[], objects: readonly Manifest[]): string[] {
  const deployed = new Set(ofKind(objects, kind).flatMap((workload) => containersOf(workload).map(serviceOf)))
  const isSandbox = ofKind(objects, 'ConfigMap').some(({ data }) => data?.['ENVIRONMENT'] === 'sandbox')
  const wanted = services.filter((service) => isSandbox || !SANDBOX_ONLY.includes(service))
  return [
    ...wanted.filter((service) => !deployed.has(service)).map((service) => `there is no ${kind} of ${service}`),
    ...(isSandbox
      ? []
      : SANDBOX_ONLY.filter((service) => deployed.has(service)).map((service) => `${service} is for the sandbox alone`)),
  ]
}
