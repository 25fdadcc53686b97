import { choosePorts } from '@gateway-infra/system/ports'
import { serviceEnvironment, SERVICES, type ServiceName, type Wiring } from './services.ts'
import { secrets } from './test/secrets.ts'

const wiring: Wiring = {
  ports: await choosePorts({}),
  secrets,
  mongoUrl: 'mongodb://127.0.0.1:27117',
  amqpUrl: 'amqp://127.0.0.1:11672',
  databasePrefix: '',
  amqpPrefix: '',
  caFile: '/state/ca/ca.crt',
}
const environmentOf = (name: ServiceName, callers: NodeJS.ProcessEnv = {}) => {
  const service = SERVICES.find((candidate) => candidate.name === name)
  if (!service) throw new Error(`there is no ${name}`)
  return serviceEnvironment(service, wiring, callers)
}

// Proves: state/give-up-is-unconfirmed, state/enquiry-repeats-after-final-status
test('delays of hours in production are seconds here', () => {
  expect(environmentOf('payment-status')).toMatchObject({
    ENQUIRY_GRACE: '1s',
    ENQUIRY_GIVE_UP: '30s',
    FINAL_ENQUIRY_DELAYS: '10s,30s',
  })
  expect(environmentOf('webhook-dispatcher')).toMatchObject({
    WEBHOOK_RETRY_DELAYS: '1s,2s,4s,8s',
    WEBHOOK_BREAKER_MAX_OPEN: '2s',
  })
})

test('and the caller may choose otherwise', () => {
  expect(environmentOf('payment-status', { ENQUIRY_GIVE_UP: '24h' })).toMatchObject({ ENQUIRY_GIVE_UP: '24h' })
})
