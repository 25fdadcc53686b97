import { EnvReader, type Declaration, type Environment, type Variables } from '@gateway/service-kit'
import { readGatewayConfig } from '@gateway-services/api-gateway/config'
import { readAuthTokenConfig } from '@gateway-services/auth-token/config'
import { readCheckoutConfig } from '@gateway-services/checkout/config'
import { readLedgerConfig } from '@gateway-services/ledger/config'
import { readSimulatorConfig } from '@gateway-services/network-simulator/config'
import { readOrderApiConfig } from '@gateway-services/order-api/config'
import { readPaymentStatusConfig } from '@gateway-services/payment-status/config'
import { readDispatcherConfig } from '@gateway-services/webhook-dispatcher/config'

export interface Service {
  readonly name: string
  readonly read: (env: EnvReader) => object
}

/** How each service reads its configuration: the code that runs, not a copy of it. */
export const SERVICES: readonly Service[] = [
  { name: 'api-gateway', read: readGatewayConfig },
  { name: 'auth-token', read: readAuthTokenConfig },
  { name: 'order-api', read: readOrderApiConfig },
  { name: 'payment-status', read: readPaymentStatusConfig },
  { name: 'checkout', read: readCheckoutConfig },
  { name: 'webhook-dispatcher', read: readDispatcherConfig },
  { name: 'ledger', read: readLedgerConfig },
  { name: 'network-simulator', read: readSimulatorConfig },
]

/** One variable as one service reads it in one environment. */
export interface Reading extends Declaration {
  readonly service: string
  readonly environment: Environment
  /** An optional variable; the service reads this one only when that one is set. */
  readonly onlyWith: string | undefined
}

/** In both environments. Each optional variable is also set in turn, since some decide whether others are read. */
export function readingsOf({ name: service, read }: Service): Reading[] {
  return (['sandbox', 'production'] as const).flatMap((environment) => {
    const readWith = (variables: Variables, onlyWith?: string): Reading[] =>
      [...readerOf(read, { ENVIRONMENT: environment, ...variables }).declarations.values()].map((declaration) => {
        return { ...declaration, service, environment, onlyWith }
      })
    const always = readWith({})
    const known = new Set(always.map(({ name }) => name))
    const conditional = always
      .filter(({ required, fallback }) => required !== true && fallback === undefined)
      .flatMap(({ name }) => readWith({ [name]: 'given' }, name))
    return [...always, ...conditional.filter(({ name }) => !known.has(name))]
  })
}

/** True when a service refuses to start with `ENVIRONMENT=production`. */
export function refusesProduction({ read }: Service): boolean {
  return readerOf(read, { ENVIRONMENT: 'production' }).problems.some((problem) => problem.startsWith('ENVIRONMENT '))
}

function readerOf(read: Service['read'], variables: Variables): EnvReader {
  const env = new EnvReader(variables)
  read(env)
  return env
}
