/** How each service reads its configuration: the code that runs, not a copy of it. */
import type { EnvReader } from '@gateway/service-kit'
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
