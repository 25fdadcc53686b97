/** Replicas may go, one at a time, and nothing is lost: budgets, autoscalers, and time to end what was begun. */
import { topology } from '@gateway/messaging'
import { variablesOf } from '../environment.ts'
import { containersOf, nameOf, ofKind, selects, type Engine, type Manifest, type Scaler, type Workload } from '../manifests.ts'

/** In which a service ends what it has begun, after its SHUTDOWN_DELAY (service-kit, lifecycle.ts). */
const STOP_DEADLINE_S = 10
/** Every node has to hear of it, and the ingress. */
const MIN_DELAY_S = 5
const MIN_REPLICAS = 2
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60 }
const ENGINES = { RabbitmqCluster: { 'app.kubernetes.io/name': 'rabbitmq' }, MongoDBCommunity: { app: 'mongodb-svc' } } as const

export function rotation(objects: readonly Manifest[]): string[] {
  const deployments = ofKind(objects, 'Deployment')
  // The simulator is one: shoppers of a sandbox can wait a moment.
  const replicated = deployments.filter(({ spec }) => spec.replicas !== 1)
  return [
    ...replicated.flatMap((workload) => scaling(workload, objects)),
    ...deployments.flatMap((workload) => stopping(workload, objects)),
    ...queues(objects),
    ...engines(objects),
  ]
}

function scaling(workload: Workload, objects: readonly Manifest[]): string[] {
  const { labels } = workload.spec.template.metadata
  const scalers = [...ofKind(objects, 'HorizontalPodAutoscaler'), ...ofKind(objects, 'ScaledObject')].filter(
    ({ spec }) => spec.scaleTargetRef.name === workload.metadata.name,
  )
  const [scaler] = scalers
  const problems = budget(nameOf(workload), labels, objects)
  if (scalers.length !== 1) problems.push(`${nameOf(workload)} has ${scalers.length} autoscalers, not one`)
  if (scaler && leastOf(scaler) < MIN_REPLICAS) problems.push(`${nameOf(scaler)} may leave one replica`)
  if (workload.spec.replicas !== undefined) problems.push(`${nameOf(workload)}: \`replicas\` would undo what the autoscaler did`)
  return problems
}

function budget(name: string, labels: Readonly<Record<string, string>>, objects: readonly Manifest[]): string[] {
  const budgets = ofKind(objects, 'PodDisruptionBudget').filter(({ spec }) => selects(spec.selector, labels))
  if (budgets.length !== 1) return [`${name} has ${budgets.length} disruption budgets, not one`]
  return budgets.filter(({ spec }) => spec.maxUnavailable !== 1).map((one) => `${nameOf(one)} must let one go at a time`)
}

function leastOf({ spec }: Scaler): number {
  return spec.minReplicas ?? spec.minReplicaCount ?? 0
}

/** The new replica first; the old one has the time that all its containers may take, one after the other. */
function stopping(workload: Workload, objects: readonly Manifest[]): string[] {
  const problems: string[] = []
  if (workload.spec.strategy?.rollingUpdate?.maxUnavailable !== 0) problems.push(`${nameOf(workload)}: an old replica goes first`)
  const containers = containersOf(workload)
  const delays = containers.map((container) => variablesOf(container, objects).variables['SHUTDOWN_DELAY'])
  const delayS = Math.max(...delays.map((delay) => seconds(delay)))
  if (delayS < MIN_DELAY_S) problems.push(`${nameOf(workload)}: SHUTDOWN_DELAY is too short for load balancers to notice`)
  const sidecarsS = containers
    .flatMap(({ args = [] }) => args)
    .reduce((sum, arg) => sum + seconds(/^--shutdown-timeout=(.+)$/u.exec(arg)?.[1]), 0)
  const graceS = workload.spec.template.spec.terminationGracePeriodSeconds ?? 30
  const neededS = delayS + STOP_DEADLINE_S + sidecarsS
  if (graceS <= neededS) problems.push(`${nameOf(workload)} is killed after ${graceS} s, and may need ${neededS} s`)
  return problems
}

function seconds(duration = '0s'): number {
  const [, amount, unit = ''] = /^(\d+)(ms|s|m)$/u.exec(duration) ?? []
  return Number(amount ?? 0) * (UNITS[unit] ?? 0)
}

/** A queue that is not there would never ask for a replica. */
function queues(objects: readonly Manifest[]): string[] {
  const { statusChanged, retries } = topology('', [], []).queues
  const known = [statusChanged.name, retries.name]
  return ofKind(objects, 'ScaledObject').flatMap((scaler) => {
    const asked = (scaler.spec.triggers ?? [])
      .filter(({ type }) => type === 'rabbitmq')
      .map(({ metadata }) => metadata['queueName'] ?? '')
    return [
      ...asked.filter((name) => !known.includes(name)).map((name) => `${nameOf(scaler)}: there is no queue ${name}`),
      ...known.filter((name) => !asked.includes(name)).map((name) => `${nameOf(scaler)} does not look at ${name}`),
    ]
  })
}

function engines(objects: readonly Manifest[]): string[] {
  const check = ({ spec, ...engine }: Engine, labels: Readonly<Record<string, string>>): string[] => {
    const members = spec.replicas ?? spec.members ?? 0
    const few = members >= 3 && members % 2 === 1 ? [] : [`${nameOf(engine)} has ${members} members: no majority without one`]
    return [...few, ...budget(nameOf(engine), labels, objects)]
  }
  return [
    ...ofKind(objects, 'RabbitmqCluster').flatMap((one) => check(one, ENGINES.RabbitmqCluster)),
    ...ofKind(objects, 'MongoDBCommunity').flatMap((one) => check(one, ENGINES.MongoDBCommunity)),
  ]
}
