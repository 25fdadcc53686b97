/** Where a merchant's server has to be for a dispatcher that is told of this host: for `startWebhookReceiver`. */
export function placeFor(webhookUrl: string): { hosts: readonly string[]; listenOn: string } {
  const { hostname } = new URL(webhookUrl)
  if (['localhost', '127.0.0.1'].includes(hostname)) return { hosts: ['localhost', '127.0.0.1'], listenOn: '127.0.0.1' }
  // The dispatcher is in a container, and comes by way of a bridge: only the certificate keeps others out, and that is enough.
  return { hosts: [hostname, 'localhost', '127.0.0.1'], listenOn: '0.0.0.0' }
}
