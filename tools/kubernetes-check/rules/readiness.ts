/** When a replica is taken out: for what it lacks itself, and not for what all of them lack alike. */
import { containersOf, nameOf, ofKind, serviceOf, type Container, type Manifest } from '../manifests.ts'

/** In which MongoDB has a new primary, usually (its manual, "Replica Set Elections"). */
const ELECTION_S = 12

export function readiness(objects: readonly Manifest[]): string[] {
  return ofKind(objects, 'Deployment').flatMap((workload) =>
    containersOf(workload)
      .filter((container) => serviceOf(container) !== undefined)
      .flatMap((container) => problemsOf(container).map((problem) => `${nameOf(workload)}: readinessProbe ${problem}`)),
  )
}

function problemsOf({ env = [], readinessProbe = {} }: Container): string[] {
  const { httpGet, periodSeconds = 10, failureThreshold = 3 } = readinessProbe
  const metricsPort = env.find(({ name }) => name === 'METRICS_PORT')?.value
  const problems: string[] = []
  // What the public port says is whether merchants are served, which is not this replica's to mend.
  if (metricsPort !== undefined && String(httpGet?.port) !== metricsPort)
    problems.push(`must ask port ${metricsPort}: on the public port, one unavailable service makes all replicas unready`)
  const lastsS = periodSeconds * (failureThreshold - 1)
  if (env.some(({ name }) => name === 'MONGO_URL_FILE') && lastsS < ELECTION_S)
    problems.push(`gives up after ${lastsS} s, and an election may take ${ELECTION_S} s`)
  return problems
}
