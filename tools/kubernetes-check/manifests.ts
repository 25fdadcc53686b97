/** Finding and reading objects. */
import type { Container, Kinds, Labels, Manifest, Selector, Workload } from './kinds.ts'

export type * from './kinds.ts'

/** All objects of a kind. Their schema has said that they look so. */
export function ofKind<Kind extends keyof Kinds>(objects: readonly Manifest[], kind: Kind): Kinds[Kind][] {
  return objects.filter((object): object is Kinds[Kind] => object.kind === kind)
}

export function workloadsOf(objects: readonly Manifest[]): Workload[] {
  return [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')]
}

/** Those of the pod and those that stand beside them. */
export function containersOf({ spec }: Workload): Container[] {
  return [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers]
}

export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  const same = Object.entries(matchLabels).every(([key, value]) => labels[key] === value)
  return (
    same &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`the rules do not know the operator ${operator}`)
      return values.includes(labels[key] ?? '')
    })
  )
}

/** Which service of ours a container runs; `undefined` for what is not ours. */
export function serviceOf({ image }: Container): string | undefined {
  return /(?:^|\/)payment-gateway\/([^/:@]+)/u.exec(image)?.[1]
}

/** `Deployment order-api`, for people. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`
}
