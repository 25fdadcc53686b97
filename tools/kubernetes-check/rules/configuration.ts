/** A service is told what it reads, all that it needs, and nothing else; production starts with it. */
import { readingsOf } from '@gateway-tools/config-table/readings'
import { problemsOf } from '@gateway-tools/config-table/production-config'
import { SERVICES } from '@gateway-tools/config-table/services'
import { GOOD } from '@gateway-tools/config-table/production-values'
import { readImageEnvironment } from '../deployment.ts'
import { engineUrls } from '../engines.ts'
import { secretFilesOf, variablesOf } from '../environment.ts'
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

/** Node's own. */
const NOT_OURS = ['NODE_EXTRA_CA_CERTS']
/** What one name means to one service alone (docs/configuration.md). */
const OF_ITS_OWN = ['network-simulator PUBLIC_URL']
const FILE = /_FILE$/u
/** Whose index step may have to change an index that is there (collMod). */
const CHANGES_INDEXES = ['webhook-dispatcher']

export function configuration(objects: readonly Manifest[]): string[] {
  const ours = workloadsOf(objects).flatMap((workload) =>
    containersOf(workload).flatMap((container) => {
      const service = SERVICES.find(({ name }) => name === serviceOf(container))
      return service ? [{ workload, container, service }] : []
    }),
  )
  return [
    ...ours.flatMap(({ workload, container, service }) => [
      ...unknownOf(workload, container, service.name, objects),
      ...filesMissing(workload, container, objects),
    ]),
    ...ours.filter(({ workload }) => workload.kind === 'Deployment').flatMap((one) => refusedOf(one, objects)),
    ...differing(objects),
  ]
}

type Ours = { readonly workload: Workload; readonly container: Container; readonly service: (typeof SERVICES)[number] }

/** What is set and read by nobody: a misspelling, or what another service reads. */
function unknownOf(workload: Workload, container: Container, service: string, objects: readonly Manifest[]): string[] {
  const { variables, problems } = variablesOf(container, objects)
  const readings = SERVICES.filter(({ name }) => name === service).flatMap(readingsOf)
  const known = new Set(readings.flatMap(({ name, secret }) => (secret === true ? [name, `${name}_FILE`] : [name])))
  const unknown = Object.keys(variables).filter((name) => !known.has(name) && !NOT_OURS.includes(name))
  const bare = readings.filter(({ name, secret }) => secret === true && name in variables)
  return [
    ...problems.map((problem) => `${nameOf(workload)}: ${problem}`),
    ...unknown.map((name) => `${nameOf(workload)}: ${service} reads no ${name}`),
    ...new Set(bare.map(({ name }) => `${nameOf(workload)}: ${name} is a secret, and stands in the manifest`)),
  ]
}

function filesMissing(workload: Workload, container: Container, objects: readonly Manifest[]): string[] {
  const mounted = secretFilesOf(container, workload.spec.template.spec).map(({ path }) => path)
  const named = Object.entries(variablesOf(container, objects).variables).filter(
    ([name]) => FILE.test(name) || NOT_OURS.includes(name),
  )
  return named
    .filter(([, path]) => !mounted.includes(path))
    .map(([name, path]) => `${nameOf(workload)}: ${name} names ${path}, which no Secret brings`)
}

/** What the service itself would say, were its secrets good ones. */
function refusedOf({ workload, container, service }: Ours, objects: readonly Manifest[]): string[] {
  const given = { ...readImageEnvironment(), ...variablesOf(container, objects).variables }
  const good = { ...GOOD, ...engineUrls(objects, service.name, GOOD['NETWORK_API_KEY'] ?? '') }
  const entries = Object.entries(given).map(([name, value]) => {
    const secret = name.replace(FILE, '')
    return FILE.test(name) && good[secret] !== undefined ? [secret, good[secret]] : [name, value]
  })
  const variables = Object.fromEntries(entries) as Record<string, string>
  return problemsOf(variables, service).map((problem) => `${nameOf(workload)} would not start: ${problem}`)
}

/** One variable with two values: services that would disagree, or indexes that would not be those of the service. */
function differing(objects: readonly Manifest[]): string[] {
  const given = workloadsOf(objects).flatMap((workload) =>
    containersOf(workload).flatMap((container) =>
      Object.entries(variablesOf(container, objects).variables)
        .filter(([name]) => !OF_ITS_OWN.includes(`${workload.metadata.name} ${name}`))
        .map(([name, value]) => ({ name, value })),
    ),
  )
  const byName = Map.groupBy(given, ({ name }) => name)
  return [...byName].flatMap(([name, all]) => {
    const values = [...new Set(all.map(({ value }) => value))]
    return values.length > 1 ? [`${name} is ${values.join(' here and ')} there`] : []
  })
}

/** Each user of the database may write to the database of its service, and do no more than the service does. */
export function databases(objects: readonly Manifest[]): string[] {
  const users = ofKind(objects, 'MongoDBCommunity').flatMap(({ spec }) => spec.users ?? [])
  const owners = SERVICES.filter(({ name }) => ofKind(objects, 'Deployment').some(({ metadata }) => metadata.name === name))
  const wanted = owners.flatMap((service) =>
    readingsOf(service)
      .filter(({ name, environment }) => name === 'DATABASE' && environment === 'sandbox')
      .map(({ fallback = '' }) => {
        const more = CHANGES_INDEXES.includes(service.name) ? `, dbAdmin on ${fallback}` : ''
        return `${service.name}: readWrite on ${fallback}${more}`
      }),
  )
  const granted = users.map(({ name, roles }) => `${name}: ${roles.map((role) => `${role.name} on ${role.db}`).join(', ')}`)
  return [
    ...wanted.filter((one) => !granted.includes(one)).map((one) => `MongoDB has no user ${one}`),
    ...granted.filter((one) => !wanted.includes(one)).map((one) => `MongoDB has a user that nobody needs: ${one}`),
  ]
}
