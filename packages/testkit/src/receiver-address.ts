/** Where `startWebhookReceiver` has to listen, and for which hosts its certificate is, so that a dispatcher reaches the URL. */
export function receiverAddressFor(webhookUrl: string): { hosts: readonly string[]; listenOn: string } {
  const { hostname } = new URL(webhookUrl)
  if (['localhost', '127.0.0.1'].includes(hostname)) return { hosts: ['localhost', '127.0.0.1'], listenOn: '127.0.0.1' }
  // A dispatcher in a container connects over a bridge, so the server listens on every address.
  return { hosts: [hostname, 'localhost', '127.0.0.1'], listenOn: '0.0.0.0' }
}
