/** A service gets the variables that it reads, all that it needs and no others, and starts with them in production. */
import { readingsOf, SERVICES, type Service } from '@gateway-tools/config-table/readings'
import { GOOD, problemsOf } from '@gateway-tools/config-table/production'
import { enginesOf, readImageEnvironment, workloadsOf, type Container } from '../workloads.ts'
import { mapsAt, ofKind, textAt, type Manifest } from '../objects.ts'

/** A variable of Node itself. */
const CA_FILE = 'NODE_EXTRA_CA_CERTS'
/** This variable means something else to this service than to the others (docs/configuration.md). */
const OWN_MEANING = 'network-simulator PUBLIC_URL'
/** Read by the index step of every service that has queues of events, also of those that only consume. */
const OF_INDEX_STEP = 'QUEUE_PARTITIONS'
/** The services whose index step may have to change an existing index (collMod). */
const CHANGES_INDEXES = ['webhook-dispatcher']

export function configuration(objects: readonly Manifest[]): string[] {
  const problems = workloadsOf(objects).flatMap(({ name: workload, manifest, containers }) =>
    containers.flatMap((container) => {
      const service = SERVICES.find(({ name }) => name === container.service)
      if (!service) return []
      const refused = manifest.kind === 'Deployment' ? refusedValues(container, service, objects) : []
      return [
        ...wrongVariables(container, service, manifest.kind === 'Job' ? [OF_INDEX_STEP] : []).map(
          (problem) => `${workload}: ${problem}`,
        ),
        ...refused.map((problem) => `${workload} would not start: ${problem}`),
      ]
    }),
  )
  return [...problems, ...differing(objects)]
}

function wrongVariables({ variables, files, problems }: Container, service: Service, more: readonly string[]): string[] {
  const mounted = files.map(({ path }) => path)
  const readings = readingsOf(service)
  const secret = new Set(readings.filter((reading) => reading.secret === true).map(({ name }) => name))
  const known = new Set([CA_FILE, ...more, ...readings.map(({ name }) => name), ...[...secret].map((name) => `${name}_FILE`)])
  return [
    ...problems,
    ...Object.keys(variables).flatMap((name) => (known.has(name) ? [] : [`${service.name} reads no ${name}`])),
    ...[...secret].filter((name) => name in variables).map((name) => `${name} is a secret, and stands in the manifest`),
    ...Object.entries(variables)
      .filter(([name, path]) => (name.endsWith('_FILE') || name === CA_FILE) && !mounted.includes(path))
      .map(([name, path]) => `${name} names ${path}, which no Secret brings`),
  ]
}

/** What the service's own configuration code refuses, with valid values in the place of secrets. */
function refusedValues({ variables }: Container, service: Service, objects: readonly Manifest[]): string[] {
  const good: Readonly<Record<string, string>> = { ...GOOD, ...engineUrls(objects, service.name) }
  const given = Object.entries({ ...readImageEnvironment(), ...variables }).map(([name, value]) => {
    const secret = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : ''
    return good[secret] === undefined ? [name, value] : [secret, good[secret]]
  })
  return problemsOf(Object.fromEntries(given) as Record<string, string>, service)
}

/** Addresses such as the operators write, with a valid password. */
function engineUrls(objects: readonly Manifest[], user: string): Readonly<Record<string, string>> {
  const password = GOOD['NETWORK_API_KEY'] ?? ''
  const hostsOf = (engine: string): string[] =>
    enginesOf(objects).flatMap(({ name, port, hosts }) => (name === engine ? hosts.map((host) => `${host}:${port}`) : []))
  return {
    MONGO_URL: `mongodb://${user}:${password}@${hostsOf('mongodb').join(',')}/admin?replicaSet=mongodb&ssl=true`,
    AMQP_URL: `amqps://default_user_${user}:${password}@${hostsOf('rabbitmq').join(',')}/`,
  }
}

/** Variables with more than one value: services would disagree, or indexes would differ from those that the service expects. */
function differing(objects: readonly Manifest[]): string[] {
  const given = workloadsOf(objects).flatMap(({ manifest, containers }) => {
    const variables = containers.flatMap((container) => Object.entries(container.variables))
    return variables.filter(([name]) => `${manifest.metadata.name} ${name}` !== OWN_MEANING)
  })
  return [...Map.groupBy(given, ([name]) => name)].flatMap(([name, entries]) => {
    const values = [...new Set(entries.map(([, value]) => value))]
    return values.length > 1 ? [`${name} is ${values.join(' here and ')} there`] : []
  })
}

/** Each service with a database has a user with the roles that it needs, and there are no other users. */
export function databases(objects: readonly Manifest[]): string[] {
  const deployed = ofKind(objects, 'Deployment').map(({ metadata }) => metadata.name)
  const wanted = SERVICES.filter(({ name }) => deployed.includes(name)).flatMap((service) =>
    readingsOf(service)
      .filter(({ name, environment }) => name === 'DATABASE' && environment === 'sandbox')
      .map(({ fallback = '' }) => {
        const roles = ['readWrite', ...(CHANGES_INDEXES.includes(service.name) ? ['dbAdmin'] : [])]
        return `${service.name}: ${roles.map((role) => `${role} on ${fallback}`).join(', ')}`
      }),
  )
  const granted = mapsAt(ofKind(objects, 'MongoDBCommunity'), '*.spec.users.*').map((user) => {
    const roles = mapsAt(user, 'roles.*').map((role) => `${textAt(role, 'name')} on ${textAt(role, 'db')}`)
    return `${textAt(user, 'name')}: ${roles.join(', ')}`
  })
  return [
    ...wanted.filter((user) => !granted.includes(user)).map((user) => `MongoDB has no user ${user}`),
    ...granted.filter((user) => !wanted.includes(user)).map((user) => `MongoDB has a user that no service needs: ${user}`),
  ]
}
