import type { Secrets } from '../secrets.ts'

/** A different value for each secret of a stack, so that a test sees who gets which. */
export const secrets: Secrets = {
  masterKeys: 'local-1:key',
  apiGatewayToken: 'apiGateway',
  paymentStatusToken: 'paymentStatus',
  checkoutToken: 'checkout',
  webhookDispatcherToken: 'webhookDispatcher',
  ledgerToken: 'ledger',
  networkSimulatorToken: 'networkSimulator',
  orderApiBrokerPassword: 'orderApiBroker',
  paymentStatusBrokerPassword: 'paymentStatusBroker',
  webhookDispatcherBrokerPassword: 'webhookDispatcherBroker',
  ledgerBrokerPassword: 'ledgerBroker',
  brokerAdministratorPassword: 'brokerAdministrator',
  networkApiKey: 'network',
  networkCallbackSecret: 'whsec_callback',
  checkoutLinkKey: 'link',
  payerHashKey: 'payers',
  authTokenOperatorToken: 'operator',
  webhookOperatorToken: 'webhook-operator',
  ledgerOperatorToken: 'ledger-operator',
}
