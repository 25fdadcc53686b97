/** How each service reads its configuration: the code that runs, not a copy of it. */
import type { EnvReader } from '@gateway/service-kit'
import { readGatewayConfig } from '../../services/api-gateway/src/config.ts'
import { readAuthTokenConfig } from '../../services/auth-token/src/config.ts'
import { readCheckoutConfig } from '../../services/checkout/src/config.ts'
import { readSimulatorConfig } from '../../services/network-simulator/src/config.ts'
import { readOrderApiConfig } from '../../services/order-api/src/config.ts'
import { readPaymentStatusConfig } from '../../services/payment-status/src/config.ts'
import { readDispatcherConfig } from '../../services/webhook-dispatcher/src/config.ts'

export interface Service {
  readonly name: string
  readonly read: (env: EnvReader) => object
}

export const SERVICES: readonly Service[] = [
  { name: 'api-gateway', read: readGatewayConfig },
  { name: 'auth-token', read: readAuthTokenConfig },
  { name: 'order-api', read: readOrderApiConfig },
  { name: 'payment-status', read: readPaymentStatusConfig },
  { name: 'checkout', read: readCheckoutConfig },
  { name: 'webhook-dispatcher', read: readDispatcherConfig },
  { name: 'network-simulator', read: readSimulatorConfig },
]
