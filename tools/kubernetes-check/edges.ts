/** Which edges the network policies open: `order-api → mongodb:27017`. Policies only add, so this is their sum. */
import { ofKind, selects, type Manifest, type NetworkPolicy, type Peer, type PolicyPort, type Selector } from './manifests.ts'
import { podsOf, type Pod } from './pods.ts'

export interface Edges {
  /** What a pod may reach. */
  readonly egress: ReadonlySet<string>
  /** Whom a pod lets in. */
  readonly ingress: ReadonlySet<string>
}

/** Every address, and every public one. */
export const ANYWHERE = 'anywhere'
export const INTERNET = 'the internet'
const NAMESPACE = 'kubernetes.io/metadata.name'

export function openEdges(objects: readonly Manifest[]): Edges {
  const pods = podsOf(objects)
  const policies = ofKind(objects, 'NetworkPolicy')
  return {
    egress: new Set(policies.flatMap((policy) => egressOf(policy, pods))),
    ingress: new Set(policies.flatMap((policy) => ingressOf(policy, pods))),
  }
}

/** True when nothing is open but by a policy: one that selects every pod, names both directions and opens none. */
export function isClosed(objects: readonly Manifest[]): boolean {
  return ofKind(objects, 'NetworkPolicy').some(
    ({ spec: { podSelector, policyTypes, ingress = [], egress = [] } }) =>
      Object.keys(podSelector).length === 0 &&
      ['Ingress', 'Egress'].every((type) => policyTypes.includes(type)) &&
      [...ingress, ...egress].length === 0,
  )
}

function egressOf({ spec }: NetworkPolicy, pods: readonly Pod[]): string[] {
  if (!spec.policyTypes.includes('Egress')) return []
  return selected(spec.podSelector, pods).flatMap((pod) =>
    (spec.egress ?? []).flatMap(({ to, ports }) =>
      namesOf(to, pods).flatMap((target) => numbersOf(ports, target.pod).map((port) => `${pod.name} → ${target.name}:${port}`)),
    ),
  )
}

function ingressOf({ spec }: NetworkPolicy, pods: readonly Pod[]): string[] {
  if (!spec.policyTypes.includes('Ingress')) return []
  return selected(spec.podSelector, pods).flatMap((pod) =>
    (spec.ingress ?? []).flatMap(({ from, ports }) =>
      namesOf(from, pods).flatMap((source) => numbersOf(ports, pod).map((port) => `${source.name} → ${pod.name}:${port}`)),
    ),
  )
}

function selected(selector: Selector, pods: readonly Pod[]): Pod[] {
  return pods.filter(({ labels }) => selects(selector, labels))
}

function namesOf(peers: readonly Peer[] | undefined, pods: readonly Pod[]): { readonly name: string; readonly pod?: Pod }[] {
  if (peers === undefined) return [{ name: ANYWHERE }]
  return peers.flatMap(({ podSelector, namespaceSelector, ipBlock }) => {
    // Which addresses it leaves out is another rule's matter.
    if (ipBlock) return [{ name: INTERNET }]
    if (namespaceSelector) return [{ name: `namespace ${namespaceSelector.matchLabels?.[NAMESPACE] ?? ANYWHERE}` }]
    return podSelector ? selected(podSelector, pods).map((pod) => ({ name: pod.name, pod })) : [{ name: ANYWHERE }]
  })
}

/** Without ports all are open. A name is that of the pod which is reached; one that has no such port opens nothing. */
function numbersOf(ports: readonly PolicyPort[] | undefined, pod: Pod | undefined): string[] {
  if (ports === undefined) return ['*']
  return ports.flatMap(({ port, endPort }) => {
    if (endPort !== undefined) return [`${port}-${endPort}`]
    const number = typeof port === 'number' ? port : pod?.ports[port]
    return number === undefined ? [] : [String(number)]
  })
}
