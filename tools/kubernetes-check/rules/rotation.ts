/** Replicas are replaced one at a time without loss: disruption budgets, autoscalers, and enough time to stop. */
import { topology } from '@gateway/messaging'
import { enginesOf, workloadsOf, type Workload } from '../workloads.ts'
import { mapsAt, nameOf, ofKind, textAt, textsAt, type Manifest } from '../objects.ts'
import { selects } from './network.ts'

/** How long a service may take to finish its work after SHUTDOWN_DELAY (service-kit, lifecycle.ts). */
const STOP_DEADLINE_S = 10
/** How long nodes and the ingress may take to stop sending to a replica. */
const MIN_DELAY_S = 5
const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60 }

export function rotation(objects: readonly Manifest[]): string[] {
  const deployments = workloadsOf(objects, ['Deployment'])
  // The simulator has one replica: shoppers of a sandbox can wait a moment.
  const replicated = deployments.filter(({ manifest }) => textAt(manifest, 'spec.replicas') !== '1')
  const scaled = textsAt(ofKind(objects, 'HorizontalPodAutoscaler', 'ScaledObject'), '*.spec.scaleTargetRef.name')
  const budgets = mapsAt(ofKind(objects, 'PodDisruptionBudget'), '*.spec.selector')
  return [
    ...[...replicated, ...enginesOf(objects)].flatMap(({ name, labels }) => {
      const count = budgets.filter((selector) => selects(selector, labels)).length
      return count === 1 ? [] : [`${name} has ${count} disruption budgets, not one`]
    }),
    ...replicated.flatMap(({ name, manifest }) => {
      const count = scaled.filter((target) => target === manifest.metadata.name).length
      return count === 1 ? [] : [`${name} has ${count} autoscalers, not one`]
    }),
    ...deployments.flatMap(stopping),
    ...ofKind(objects, 'ScaledObject').flatMap(queues),
  ]
}

/** An old replica has time for all its containers, which stop one after another. */
function stopping({ name, pod, containers }: Workload): string[] {
  const delayS = Math.max(...containers.map(({ variables }) => seconds(variables['SHUTDOWN_DELAY'])))
  const sidecarsS = textsAt(containers, '*.spec.args.*').map((arg) => seconds(/^--shutdown-timeout=(.+)$/u.exec(arg)?.[1]))
  const graceS = Number(pod['terminationGracePeriodSeconds'] ?? 30)
  const neededS = sidecarsS.reduce((sum, sidecarS) => sum + sidecarS, delayS + STOP_DEADLINE_S)
  return [
    ...(delayS < MIN_DELAY_S ? [`${name}: SHUTDOWN_DELAY is too short for load balancers to notice`] : []),
    ...(graceS <= neededS ? [`${name} is killed after ${graceS} s, and may need ${neededS} s`] : []),
  ]
}

function seconds(duration = '0s'): number {
  const [, amount = 0, unit = ''] = /^(\d+)(ms|s|m)$/u.exec(duration) ?? []
  return Number(amount) * (SECONDS[unit] ?? 0)
}

/** KEDA watches exactly the dispatcher's queues. */
function queues(scaler: Manifest): string[] {
  const { statusChanged, retries } = topology('', [], []).queues
  const known = [statusChanged.name, retries.name]
  const watched = textsAt(scaler, 'spec.triggers.*.metadata.queueName')
  return [
    ...watched.filter((queue) => !known.includes(queue)).map((queue) => `${nameOf(scaler)}: there is no queue ${queue}`),
    ...known.filter((queue) => !watched.includes(queue)).map((queue) => `${nameOf(scaler)} does not look at ${queue}`),
  ]
}
