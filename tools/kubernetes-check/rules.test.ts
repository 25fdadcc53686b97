/** Both environments keep every rule, and each rule fails when it is broken: one manifest, one change at a time. */
import { join } from 'node:path'
import { OVERLAYS, renderDeployment } from './deployment.ts'
import { nameOf, type Manifest } from './manifests.ts'
import { problemsOf } from './rules/index.ts'

const production = renderDeployment(join(OVERLAYS, 'production'))
const sandbox = renderDeployment(join(OVERLAYS, 'sandbox'))

// Proves: deploy/manifests-match-their-schemas, deploy/manifests-fit-the-services
test.each([
  ['production', production],
  ['sandbox', sandbox],
])('%s: every manifest is as its schema says, and every rule holds', (_name, objects) => {
  expect(objects.length).toBeGreaterThan(70)
  expect(problemsOf(objects)).toEqual([])
})

/** The same objects with a text changed in the JSON of one. */
function broken(objects: readonly Manifest[], name: string, from: string, to: string): Manifest[] {
  return objects.map((object) => {
    if (nameOf(object) !== name) return object
    const text = JSON.stringify(object)
    expect(text).toContain(from)
    const changed: Manifest = JSON.parse(text.replace(from, to))
    return changed
  })
}

const without = (objects: readonly Manifest[], name: string): Manifest[] => {
  const rest = objects.filter((object) => nameOf(object) !== name)
  expect(rest).toHaveLength(objects.length - 1)
  return rest
}
const said = (objects: readonly Manifest[]): string =>
  problemsOf(objects)
    .map(({ problem }) => problem)
    .join('\n')

describe('one change in production', () => {
  // Proves: deploy/manifests-match-their-schemas, deploy/manifests-fit-the-services
  test.each([
    ['a misspelt field', 'Deployment order-api', '"readinessProbe"', '"readynessProbe"', 'must not have "readynessProbe"'],
    ['a text for a number', 'HorizontalPodAutoscaler checkout', '"minReplicas":2', '"minReplicas":"two"', 'must be integer'],
    ['a value of no list', 'PodDisruptionBudget checkout', 'AlwaysAllow', 'Always', 'must be equal to one of'],
    [
      'a direction that is none',
      'NetworkPolicy checkout',
      '"Egress"',
      '"Outgress"',
      'must be equal to one of the allowed values: Egress, Ingress',
    ],
    [
      'a field that KEDA does not know',
      'ScaledObject webhook-dispatcher',
      '"pollingInterval"',
      '"pollInterval"',
      'no such field',
    ],
    ['a field that RabbitMQ has not', 'RabbitmqCluster rabbitmq', '"persistence"', '"storage"', 'must not have "storage"'],
    ['a field that MongoDB has not', 'MongoDBCommunity mongodb', '"members"', '"replicas"', 'must not have "replicas"'],
    [
      'a field of its StatefulSet',
      'MongoDBCommunity mongodb',
      '"podAntiAffinity"',
      '"antiAffinity"',
      '"antiAffinity": no such field',
    ],
    ['a field of cert-manager', 'Certificate checkout', '"dnsNames"', '"dnsName"', 'must not have "dnsName"'],
    ['an unknown label field', 'Certificate checkout', '"labels"', '"label"', '/metadata must not have "label"'],
    [
      'an API that is gone',
      'PodDisruptionBudget checkout',
      'policy/v1',
      'policy/v1beta1',
      'there is no schema of policy/v1beta1',
    ],
    [
      'no liveness',
      'Deployment checkout',
      '"livenessProbe"',
      '"lifecycle":{},"workingDir":"/","x":{},"livenessProbe"',
      'no such field',
    ],
    ['readiness that asks for life', 'Deployment checkout', '/readyz', '/healthz', 'readinessProbe asks /healthz, not /readyz'],
    [
      'a door that neighbours shut',
      'Deployment api-gateway',
      '"path":"/readyz","port":9100',
      '"path":"/readyz","port":8080',
      'Deployment api-gateway: readinessProbe must ask port 9100',
    ],
    [
      'an election that takes all replicas out',
      'Deployment order-api',
      '"failureThreshold":5',
      '"failureThreshold":4',
      'Deployment order-api: readinessProbe gives up after 9 s, and an election may take 12 s',
    ],
    ['root', 'Deployment checkout', '"runAsUser":1000', '"runAsUser":0', 'may run as root'],
    [
      'a file system to write to',
      'Job order-api-indexes-0-1-0',
      '"readOnlyRootFilesystem":true',
      '"readOnlyRootFilesystem":false',
      'may write to its file system',
    ],
    ['capabilities', 'Deployment checkout', '"drop":["ALL"]', '"drop":["ALL"],"add":["NET_ADMIN"]', 'has capabilities'],
    [
      'privileges to gain',
      'Deployment checkout',
      '"allowPrivilegeEscalation":false',
      '"allowPrivilegeEscalation":true',
      'may gain privileges',
    ],
    ['no seccomp', 'Deployment checkout', 'RuntimeDefault', 'Unconfined', 'has no seccomp profile'],
    [
      'a token of the API',
      'Deployment checkout',
      '"automountServiceAccountToken":false',
      '"automountServiceAccountToken":true',
      'mounts a token',
    ],
    [
      'links to Services',
      'Deployment checkout',
      '"enableServiceLinks":false',
      '"enableServiceLinks":true',
      'is told of all Services',
    ],
    ['less memory than heap', 'Deployment checkout', '768Mi', '512Mi', 'its heap alone may grow to 512Mi'],
    [
      'a limit of CPU',
      'Deployment checkout',
      '"limits":{"memory":"768Mi"}',
      '"limits":{"memory":"768Mi","cpu":"1"}',
      'would be throttled',
    ],
    [
      'a misspelt variable',
      'Deployment checkout',
      '"PAYMENT_STATUS_URL"',
      '"PAYMENTS_STATUS_URL"',
      'checkout reads no PAYMENTS_STATUS_URL',
    ],
    ['a missing variable', 'ConfigMap checkout-settings', '"NETWORK_URL"', '"LOG_LEVEL"', 'would not start: NETWORK_URL'],
    [
      'an unsafe value',
      'ConfigMap settings',
      '"SHUTDOWN_DELAY":"10s"',
      '"SHUTDOWN_DELAY":"10m"',
      'would not start: SHUTDOWN_DELAY',
    ],
    [
      'plain HTTP',
      'Deployment checkout',
      'https://payment-status',
      'http://payment-status',
      'would not start: PAYMENT_STATUS_URL',
    ],
    [
      'a host for trying',
      'ConfigMap webhook-dispatcher-settings',
      '"DELIVERY_RETENTION_DAYS":"30"',
      '"DELIVERY_RETENTION_DAYS":"30","WEBHOOK_ALLOWED_HOSTS":"here"',
      'would not start: WEBHOOK_ALLOWED_HOSTS',
    ],
    [
      'another retention in the index',
      'ConfigMap indexes-0-1-0',
      '"30"',
      '"60"',
      'DELIVERY_RETENTION_DAYS is 30 here and 60 there',
    ],
    [
      'a link key that nobody mounts',
      'Deployment order-api',
      '"path":"checkout_link_key"',
      '"path":"link_key"',
      'names /run/secrets/checkout_link_key, which no Secret brings',
    ],
    [
      'a secret in the manifest',
      'Deployment checkout',
      '{"name":"NETWORK_API_KEY_FILE","value":"/run/secrets/network_api_key"}',
      '{"name":"NETWORK_API_KEY","value":"x"}',
      'NETWORK_API_KEY is a secret',
    ],
    [
      'a ConfigMap that is not there',
      'Deployment checkout',
      'checkout-settings',
      'settings-of-checkout',
      'there is no ConfigMap settings-of-checkout',
    ],
    ['two public addresses', 'ConfigMap checkout-settings', 'https://pay.', 'https://paid.', 'PUBLIC_URL is'],
    [
      'a Secret of nobody',
      'Deployment order-api',
      'mongodb-order-api',
      'mongodb-orders',
      'reads connectionString.standard of mongodb-orders, which nobody writes',
    ],
    [
      'a certificate of another name',
      'Certificate order-api',
      '"dnsNames":["order-api"]',
      '"dnsNames":["orders"]',
      'order-api shows order-api-tls, which is not a certificate of that name',
    ],
    [
      'a certificate of another namespace',
      'Certificate mongodb',
      'svc.gateway-production',
      'svc.gateway-sandbox',
      'mongodb-0.mongodb-svc.gateway-production.svc.cluster.local shows mongodb-tls',
    ],
    [
      'an authority that is not there',
      'Certificate order-api',
      '"name":"internal"',
      '"name":"public"',
      'there is no Issuer public',
    ],
    [
      'a sign-in that is not there',
      'ScaledObject webhook-dispatcher',
      '"authenticationRef":{"name":"rabbitmq"}',
      '"authenticationRef":{"name":"broker"}',
      'there is no TriggerAuthentication broker',
    ],
    [
      'a broker with another certificate',
      'RabbitmqCluster rabbitmq',
      '"secretName":"rabbitmq-tls"',
      '"secretName":"tls"',
      'rabbitmq.gateway-production.svc shows tls',
    ],
    [
      'a role too many',
      'MongoDBCommunity mongodb',
      '"db":"order_api"',
      '"db":"auth_token"',
      'MongoDB has no user order-api: readWrite on order_api',
    ],
    [
      'a retention that could not be changed',
      'MongoDBCommunity mongodb',
      ',{"name":"dbAdmin","db":"webhook_dispatcher"}',
      '',
      'MongoDB has no user webhook-dispatcher: readWrite on webhook_dispatcher, dbAdmin on webhook_dispatcher',
    ],
    ['no replica to spare', 'HorizontalPodAutoscaler checkout', '"minReplicas":2', '"minReplicas":1', 'may leave one replica'],
    [
      'an autoscaler of nobody',
      'HorizontalPodAutoscaler checkout',
      '"kind":"Deployment","name":"checkout"',
      '"kind":"Deployment","name":"check-out"',
      'Deployment checkout has 0 autoscalers',
    ],
    [
      'replicas that are fixed',
      'Deployment checkout',
      '"revisionHistoryLimit":5',
      '"replicas":3',
      'would undo what the autoscaler did',
    ],
    [
      'a budget that lets nobody go',
      'PodDisruptionBudget checkout',
      '"maxUnavailable":1',
      '"maxUnavailable":0',
      'must let one go at a time',
    ],
    ['the old replica first', 'Deployment checkout', '"maxUnavailable":0', '"maxUnavailable":1', 'an old replica goes first'],
    [
      'too little time to end',
      'Deployment checkout',
      '"terminationGracePeriodSeconds":45',
      '"terminationGracePeriodSeconds":30',
      'is killed after 30 s, and may need 30 s',
    ],
    [
      'a stop that nobody hears of',
      'ConfigMap settings',
      '"SHUTDOWN_DELAY":"10s"',
      '"SHUTDOWN_DELAY":"500ms"',
      'SHUTDOWN_DELAY is too short',
    ],
    [
      'a stop that takes too long',
      'ConfigMap settings',
      '"SHUTDOWN_DELAY":"10s"',
      '"SHUTDOWN_DELAY":"1m"',
      'is killed after 45 s, and may need 80 s',
    ],
    [
      'a queue that is not there',
      'ScaledObject webhook-dispatcher',
      'webhook-dispatcher.status-changed',
      'webhook-dispatcher.ready',
      'there is no queue webhook-dispatcher.ready',
    ],
    ['two members', 'RabbitmqCluster rabbitmq', '"replicas":3', '"replicas":2', 'no majority without one'],
    [
      'a policy that opens nothing',
      'NetworkPolicy order-api',
      '"port":5671',
      '"port":5672',
      'needed, and not allowed to leave: order-api → rabbitmq:5671',
    ],
    [
      'a door that is shut',
      'NetworkPolicy order-api',
      '"app.kubernetes.io/name":"payment-status"',
      '"app.kubernetes.io/name":"checkout"',
      'let in, and not needed: checkout → order-api:8443',
    ],
    [
      'everybody let in',
      'NetworkPolicy checkout',
      '"ingress":[{"from":[',
      '"ingress":[{"from":[{"podSelector":{}},',
      'let in, and not needed: order-api → checkout:8443',
    ],
    [
      'a new neighbour',
      'Deployment checkout',
      '"name":"PAYMENT_STATUS_URL","value":"https://payment-status"',
      '"name":"PAYMENT_STATUS_URL","value":"https://order-api"',
      'needed, and not allowed to leave: checkout → order-api:8443',
    ],
    [
      'a connector elsewhere',
      'ConfigMap checkout-settings',
      'network-connector.network-connector',
      'connector.banks',
      'needed, and not allowed to leave: checkout → namespace banks:8443',
    ],
    ['an open namespace', 'NetworkPolicy closed', '["Ingress","Egress"]', '["Ingress"]', 'no policy closes the namespace'],
    [
      'an image that nobody builds',
      'Deployment checkout',
      'payment-gateway/checkout:0.1.0',
      'payment-gateway/check-out:0.1.0',
      'nobody builds',
    ],
    ['any version', 'Deployment checkout', 'payment-gateway/checkout:0.1.0', 'payment-gateway/checkout:latest', 'has no version'],
  ])('%s: %s', (_what, name, from, to, problem) => {
    expect(said(broken(production, name, from, to))).toContain(problem)
  })

  // Proves: deploy/manifests-fit-the-services
  test.each([
    ['Deployment checkout', 'there is no Deployment of checkout'],
    ['Job order-api-indexes-0-1-0', 'there is no Job of order-api'],
    ['PodDisruptionBudget api-gateway', 'Deployment api-gateway has 0 disruption budgets'],
    ['PodDisruptionBudget mongodb', 'MongoDBCommunity mongodb has 0 disruption budgets'],
    ['ScaledObject webhook-dispatcher', 'Deployment webhook-dispatcher has 0 autoscalers'],
    ['NetworkPolicy checkout', 'needed, and not let in: api-gateway → checkout:8443'],
    ['NetworkPolicy names', 'needed, and not allowed to leave: order-api → namespace kube-system:53'],
    ['ConfigMap settings', 'there is no ConfigMap settings'],
  ])('without %s: %s', (name, problem) => {
    expect(said(without(production, name))).toContain(problem)
  })

  test('an image by its digest is a version, and is looked at like any other', () => {
    const digest = `@sha256:${'0'.repeat(64)}`
    const pinned = broken(
      production,
      'Deployment checkout',
      'payment-gateway/checkout:0.1.0',
      `payment-gateway/checkout${digest}`,
    )
    expect(problemsOf(pinned)).toEqual([])
    expect(said(broken(pinned, 'Deployment checkout', '/readyz', '/healthz'))).toContain('readinessProbe asks /healthz')
    expect(said(broken(pinned, 'Deployment checkout', '"PAYMENT_STATUS_URL"', '"STATUS_URL"'))).toContain(
      'checkout reads no STATUS_URL',
    )
  })

  test('the same object twice', () => {
    const [first] = production
    expect(said(first ? [...production, first] : [])).toContain('there are two')
  })
})

test('the simulator does not get into production', () => {
  const simulator = sandbox.filter((object) => object.metadata.name.startsWith('network-simulator'))
  expect(said([...production, ...simulator])).toContain('network-simulator is for the sandbox alone')
})
