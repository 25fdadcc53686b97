/** The connections that network policies allow, such as `order-api → mongodb:27017`. Policies only add to one another. */
import { enginesOf } from './engines.ts'
import { mapAt, mapsAt, namedTexts, ofKind, textAt, textsAt, type Json, type Manifest, type Texts } from './objects.ts'
import { workloadsOf } from './workloads.ts'

/** A pod; `ports` has its port numbers by name. */
export type Pod = Readonly<{ name: string; labels: Texts; ports: Texts }>

export const ANYWHERE = 'anywhere'
export const INTERNET = 'the internet'

/** The pods in the namespace: those of workloads, and those that the operators start. */
export function podsOf(objects: readonly Manifest[]): Pod[] {
  const ours = workloadsOf(objects).map(({ labels, containers }) => {
    const ports = mapsAt(containers, '*.spec.ports.*').map((port) => [textAt(port, 'name'), textAt(port, 'containerPort')])
    return { name: labels['app.kubernetes.io/name'] ?? '', labels, ports: Object.fromEntries(ports) as Texts }
  })
  return [...ours, ...enginesOf(objects).map(({ name, labels }) => ({ name, labels, ports: {} }))]
}

/** Whether a selector matches these labels; an empty one matches all. */
export function selects(selector: Json, labels: Texts): boolean {
  const expressions = mapsAt(selector, 'matchExpressions.*')
  if (expressions.some(({ operator }) => operator !== 'In')) throw new Error('a selector has another operator than `In`')
  return (
    Object.entries(namedTexts(selector, 'matchLabels')).every(([key, value]) => labels[key] === value) &&
    expressions.every((one) => textsAt(one, 'values.*').includes(labels[textAt(one, 'key')] ?? ''))
  )
}

/** What the policies allow pods to send (`Egress`) or to receive (`Ingress`). */
export function allowedEdges(objects: readonly Manifest[], direction: 'Egress' | 'Ingress'): Set<string> {
  const pods = podsOf(objects)
  const policies = ofKind(objects, 'NetworkPolicy').filter((one) => textsAt(one, 'spec.policyTypes.*').includes(direction))
  const edges = policies.flatMap((policy) => {
    const selected = pods.filter(({ labels }) => selects(mapAt(policy, 'spec.podSelector'), labels))
    return mapsAt(policy, `spec.${direction.toLowerCase()}.*`).flatMap((rule) => {
      const peers = peersOf(rule, direction === 'Egress' ? 'to' : 'from', pods)
      const [senders, receivers] = direction === 'Egress' ? [selected, peers] : [peers, selected]
      const ends = receivers.flatMap((to) => portsOf(rule, to).map((port) => `${to.name}:${port}`))
      return senders.flatMap(({ name }) => ends.map((end) => `${name} → ${end}`))
    })
  })
  return new Set(edges)
}

function peersOf(rule: Json, key: 'to' | 'from', pods: readonly Pod[]): readonly Pod[] {
  const other = (name: string): Pod[] => [{ name, labels: {}, ports: {} }]
  if (!(key in rule)) return other(ANYWHERE)
  return mapsAt(rule, `${key}.*`).flatMap((peer) => {
    // A test compares the excluded addresses with the dispatcher's own list (pages.test.ts).
    if ('ipBlock' in peer) return other(INTERNET)
    const namespace = namedTexts(peer, 'namespaceSelector.matchLabels')['kubernetes.io/metadata.name']
    if ('namespaceSelector' in peer) return other(`namespace ${namespace ?? ANYWHERE}`)
    return pods.filter(({ labels }) => selects(mapAt(peer, 'podSelector'), labels))
  })
}

/** The port numbers of a rule; `*` for all. A name that the receiving pod does not give to a port allows nothing. */
function portsOf(rule: Json, { ports }: Pod): string[] {
  if (!('ports' in rule)) return ['*']
  return mapsAt(rule, 'ports.*').flatMap((one) => {
    const port = textAt(one, 'port')
    if ('endPort' in one) return [`${port}-${textAt(one, 'endPort')}`]
    return /^\d+$/u.test(port) ? [port] : (ports[port] ?? [])
  })
}
