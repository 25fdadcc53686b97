/** Both environments keep every rule, and each rule fails when it is broken: one manifest, one change at a time. */
import { join } from 'node:path'
import { OVERLAYS, renderDeployment } from './deployment.ts'
import { nameOf, type Manifest } from './objects.ts'
import { problemsOf } from './main.ts'

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

/** Kustomize ends the names of ConfigMaps with a hash of their content. */
const plainName = (object: Manifest): string => nameOf(object).replace(/^(ConfigMap .+)-[a-z0-9]{10}$/u, '$1')

/** The same objects with a text changed in the JSON of one. */
function broken(objects: readonly Manifest[], name: string, from: string, to: string): Manifest[] {
  return objects.map((object) => {
    if (plainName(object) !== name) return object
    const text = JSON.stringify(object)
    expect(text).toContain(from)
    const changed: Manifest = JSON.parse(text.replace(from, to))
    return changed
  })
}

const without = (objects: readonly Manifest[], name: string): Manifest[] => {
  const rest = objects.filter((object) => plainName(object) !== name)
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
    [
      'a misspelt field',
      'Deployment order-api',
      '"readinessProbe"',
      '"readynessProbe"',
      "additional properties 'readynessProbe' not allowed",
    ],
    [
      'a text for a number',
      'HorizontalPodAutoscaler checkout',
      '"minReplicas":2',
      '"minReplicas":"two"',
      "'/spec/minReplicas': got string, want integer",
    ],
    ['a value that is not in the list', 'PodDisruptionBudget checkout', 'AlwaysAllow', 'Always', 'value must be one of'],
    ['an unknown direction', 'NetworkPolicy checkout', '"Egress"', '"Outgress"', "value must be one of 'Egress', 'Ingress'"],
    [
      'a field unknown to KEDA',
      'ScaledObject webhook-dispatcher',
      '"pollingInterval"',
      '"pollInterval"',
      "additional properties 'pollInterval' not allowed",
    ],
    [
      'a field unknown to RabbitMQ',
      'RabbitmqCluster rabbitmq',
      '"persistence"',
      '"storage"',
      "additional properties 'storage' not allowed",
    ],
    [
      'a field unknown to MongoDB',
      'MongoDBCommunity mongodb',
      '"members"',
      '"replicas"',
      "additional properties 'replicas' not allowed",
    ],
    [
      'a field of its StatefulSet',
      'MongoDBCommunity mongodb',
      '"podAntiAffinity"',
      '"antiAffinity"',
      "additional properties 'antiAffinity' not allowed",
    ],
    [
      'a field unknown to cert-manager',
      'Certificate checkout',
      '"dnsNames"',
      '"dnsName"',
      "additional properties 'dnsName' not allowed",
    ],
    [
      'an unknown label field',
      'Certificate checkout',
      '"labels"',
      '"label"',
      "'/metadata': additional properties 'label' not allowed",
    ],
    [
      'a removed API version',
      'PodDisruptionBudget checkout',
      'policy/v1',
      'policy/v1beta1',
      'could not find schema for PodDisruptionBudget',
    ],
    [
      'an unknown field of a container',
      'Deployment checkout',
      '"livenessProbe"',
      '"lifecycle":{},"workingDir":"/","x":{},"livenessProbe"',
      "additional properties 'x' not allowed",
    ],
    [
      'a readiness probe on the liveness route',
      'Deployment checkout',
      '/readyz',
      '/healthz',
      "readinessProbe/httpGet/path': value must be '/readyz'",
    ],
    [
      'a readiness probe on the public port',
      'Deployment api-gateway',
      '"path":"/readyz","port":9100',
      '"path":"/readyz","port":8080',
      "readinessProbe/httpGet/port': value must be 9100",
    ],
    [
      'a readiness probe that fails during an election',
      'Deployment order-api',
      '"failureThreshold":5',
      '"failureThreshold":4',
      "readinessProbe/failureThreshold': minimum: got 4, want 5",
    ],
    ['root', 'Deployment checkout', '"runAsUser":1000', '"runAsUser":0', "runAsUser': minimum: got 0, want 1"],
    [
      'a writable file system',
      'Job order-api-indexes-0-1-0',
      '"readOnlyRootFilesystem":true',
      '"readOnlyRootFilesystem":false',
      "readOnlyRootFilesystem': value must be true",
    ],
    [
      'capabilities',
      'Deployment checkout',
      '"drop":["ALL"]',
      '"drop":["ALL"],"add":["NET_ADMIN"]',
      "additional properties 'add' not allowed",
    ],
    [
      'privilege escalation',
      'Deployment checkout',
      '"allowPrivilegeEscalation":false',
      '"allowPrivilegeEscalation":true',
      "allowPrivilegeEscalation': value must be false",
    ],
    ['no seccomp', 'Deployment checkout', 'RuntimeDefault', 'Unconfined', "seccompProfile/type': value must be 'RuntimeDefault'"],
    [
      'a mounted API token',
      'Deployment checkout',
      '"automountServiceAccountToken":false',
      '"automountServiceAccountToken":true',
      "automountServiceAccountToken': value must be false",
    ],
    [
      'service links',
      'Deployment checkout',
      '"enableServiceLinks":false',
      '"enableServiceLinks":true',
      "enableServiceLinks': value must be false",
    ],
    ['less memory than heap', 'Deployment checkout', '768Mi', '512Mi', 'its heap alone may grow to 512Mi'],
    [
      'a limit of CPU',
      'Deployment checkout',
      '"limits":{"memory":"768Mi"}',
      '"limits":{"memory":"768Mi","cpu":"1"}',
      "additional properties 'cpu' not allowed",
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
      'an allowed host that is only for development',
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
      'a link key that is not mounted',
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
      'a missing ConfigMap',
      'Deployment checkout',
      'checkout-settings',
      'settings-of-checkout',
      'there is no ConfigMap settings-of-checkout',
    ],
    ['two public addresses', 'ConfigMap checkout-settings', 'https://pay.', 'https://paid.', 'PUBLIC_URL is'],
    [
      'a Secret without a source',
      'Deployment order-api',
      'mongodb-order-api',
      'mongodb-orders',
      'reads connectionString.standard of mongodb-orders, which nothing creates',
    ],
    [
      'a certificate for another name',
      'Certificate order-api',
      '"dnsNames":["order-api"]',
      '"dnsNames":["orders"]',
      'order-api shows order-api-tls, which is not a certificate of that name',
    ],
    [
      'a certificate for another namespace',
      'Certificate mongodb',
      'svc.gateway-production',
      'svc.gateway-sandbox',
      'mongodb-0.mongodb-svc.gateway-production.svc.cluster.local shows mongodb-tls',
    ],
    ['a missing issuer', 'Certificate order-api', '"name":"internal"', '"name":"public"', 'there is no Issuer public'],
    [
      'a missing TriggerAuthentication',
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
      'a missing role for changing the retention',
      'MongoDBCommunity mongodb',
      ',{"db":"webhook_dispatcher","name":"dbAdmin"}',
      '',
      'MongoDB has no user webhook-dispatcher: readWrite on webhook_dispatcher, dbAdmin on webhook_dispatcher',
    ],
    [
      'an autoscaler with one replica',
      'HorizontalPodAutoscaler checkout',
      '"minReplicas":2',
      '"minReplicas":1',
      "'/spec/minReplicas': minimum: got 1, want 2",
    ],
    [
      'an autoscaler of another Deployment',
      'HorizontalPodAutoscaler checkout',
      '"kind":"Deployment","name":"checkout"',
      '"kind":"Deployment","name":"check-out"',
      'Deployment checkout has 0 autoscalers',
    ],
    [
      'a fixed number of replicas',
      'Deployment checkout',
      '"revisionHistoryLimit":5',
      '"replicas":3',
      "'/spec/replicas': value must be 1",
    ],
    [
      'a disruption budget of zero',
      'PodDisruptionBudget checkout',
      '"maxUnavailable":1',
      '"maxUnavailable":0',
      "'/spec/maxUnavailable': value must be 1",
    ],
    [
      'an update that stops the old replica first',
      'Deployment checkout',
      '"maxUnavailable":0',
      '"maxUnavailable":1',
      "rollingUpdate/maxUnavailable': value must be 0",
    ],
    [
      'a grace period that is too short',
      'Deployment checkout',
      '"terminationGracePeriodSeconds":45',
      '"terminationGracePeriodSeconds":30',
      'is killed after 30 s, and may need 30 s',
    ],
    [
      'a shutdown delay that is too short',
      'ConfigMap settings',
      '"SHUTDOWN_DELAY":"10s"',
      '"SHUTDOWN_DELAY":"500ms"',
      'SHUTDOWN_DELAY is too short',
    ],
    [
      'a shutdown delay longer than the grace period',
      'ConfigMap settings',
      '"SHUTDOWN_DELAY":"10s"',
      '"SHUTDOWN_DELAY":"1m"',
      'is killed after 45 s, and may need 80 s',
    ],
    [
      'an unknown queue',
      'ScaledObject webhook-dispatcher',
      'webhook-dispatcher.status-changed',
      'webhook-dispatcher.ready',
      'there is no queue webhook-dispatcher.ready',
    ],
    ['two members', 'RabbitmqCluster rabbitmq', '"replicas":3', '"replicas":2', "'/spec/replicas': value must be one of 3, 5, 7"],
    [
      'two database members',
      'MongoDBCommunity mongodb',
      '"members":3',
      '"members":2',
      "'/spec/members': value must be one of 3, 5, 7",
    ],
    [
      'a KEDA autoscaler with one replica',
      'ScaledObject webhook-dispatcher',
      '"minReplicaCount":2',
      '"minReplicaCount":1',
      "'/spec/minReplicaCount': minimum: got 1, want 2",
    ],
    [
      'a policy for the wrong port',
      'NetworkPolicy order-api',
      '"port":5671',
      '"port":5672',
      'needed, and not allowed to leave: order-api → rabbitmq:5671',
    ],
    [
      'a policy that admits the wrong pod',
      'NetworkPolicy order-api',
      '"app.kubernetes.io/name":"payment-status"',
      '"app.kubernetes.io/name":"checkout"',
      'let in, and not needed: checkout → order-api:8443',
    ],
    [
      'a policy that admits every pod',
      'NetworkPolicy checkout',
      '"ingress":[{"from":[',
      '"ingress":[{"from":[{"podSelector":{}},',
      'let in, and not needed: order-api → checkout:8443',
    ],
    [
      'a call to another service',
      'Deployment checkout',
      '"name":"PAYMENT_STATUS_URL","value":"https://payment-status"',
      '"name":"PAYMENT_STATUS_URL","value":"https://order-api"',
      'needed, and not allowed to leave: checkout → order-api:8443',
    ],
    [
      'a connector in another namespace',
      'ConfigMap checkout-settings',
      'network-connector.network-connector',
      'connector.banks',
      'needed, and not allowed to leave: checkout → namespace banks:8443',
    ],
    [
      'a namespace without a default policy',
      'NetworkPolicy closed',
      '["Ingress","Egress"]',
      '["Ingress"]',
      'no policy closes the namespace',
    ],
    [
      'an unknown image',
      'Deployment checkout',
      'payment-gateway/checkout:0.1.0',
      'payment-gateway/check-out:0.1.0',
      'nothing builds',
    ],
    [
      'the version "latest"',
      'Deployment checkout',
      'payment-gateway/checkout:0.1.0',
      'payment-gateway/checkout:latest',
      "containers/0/image': 'registry.example.com/payment-gateway/checkout:latest' does not match",
    ],
  ])('%s: %s', (_what, name, from, to, problem) => {
    expect(said(broken(production, name, from, to))).toContain(problem)
  })

  // Proves: deploy/manifests-fit-the-services
  test.each([
    ['Deployment checkout', 'there is no Deployment of checkout'],
    ['Job order-api-indexes-0-1-0', 'there is no Job of order-api'],
    ['PodDisruptionBudget api-gateway', 'Deployment api-gateway has 0 disruption budgets'],
    ['PodDisruptionBudget mongodb', 'mongodb has 0 disruption budgets'],
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
    expect(said(broken(pinned, 'Deployment checkout', '/readyz', '/healthz'))).toContain('readinessProbe/httpGet/path')
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
