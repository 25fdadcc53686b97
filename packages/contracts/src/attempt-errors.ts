/** Why an address is not public. */
export const ADDRESS_KINDS = {
  loopback: 'the machine itself',
  unspecified: 'an unspecified address, 0.0.0.0 or ::',
  private: 'a private network',
  link_local: 'a link-local address',
  carrier_grade_nat: 'a shared address of a carrier, 100.64.0.0/10',
  metadata: 'the metadata service of a cloud',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  reserved: 'a reserved address',
  embedded_ipv4: 'an IPv4 address written as IPv6',
  private_name: 'a name that is never public, such as localhost or *.internal',
  not_an_address: 'the name server answered with something that is no address',
} as const
export type AddressKind = keyof typeof ADDRESS_KINDS

/** Why an attempt to deliver a webhook got no complete answer, and what the merchant can do. */
const REASONS = {
  timeout: 'The exchange took longer than ten seconds. Answer first, process later; check your firewall and load balancer.',
  name_not_resolved: 'The host name of the URL has no address. Check your DNS records.',
  connection_refused: 'Nothing listens at the port of the URL. Start your server, or correct the port.',
  connection_closed:
    'The server closed the connection before its answer was complete. Look into the log of your server or proxy.',
  connection_failed: 'No connection could be made. Check that your server can be reached from the internet.',
  not_tls: 'The server does not speak TLS at this port. Use its HTTPS port.',
  tls_version_unsupported: 'The server offers only TLS 1.1 or older. Allow TLS 1.2 or 1.3.',
  tls_failed: 'The TLS handshake failed. Your server may demand a client certificate, or offer only outdated ciphers.',
  certificate_expired: 'The certificate has expired. Renew it, and load it into your server.',
  certificate_not_yet_valid: 'The certificate is not valid yet. Check its dates and the clock of the machine that made it.',
  certificate_wrong_name: 'The certificate is for other host names than the one in the URL.',
  certificate_chain_incomplete:
    'The server does not send the intermediate certificate, or its authority is not a public one. Configure the full chain (fullchain.pem).',
  certificate_untrusted: 'The certificate is self-signed, or its authority is not a public one.',
  certificate_invalid:
    'The certificate cannot be used for another reason: it is revoked, is for another purpose, or has a weak key.',
  response_invalid: 'The answer is not valid HTTP, or its headers are larger than 16 KiB.',
  no_endpoint: 'No URL was registered when the order was created, so nothing was sent.',
  endpoint_disabled: 'The URL is disabled, so nothing was sent. Enable it.',
  not_signed: 'The signing secret could not be read, so nothing was sent. Tell us.',
  address_refused: 'The URL may not be used: not HTTPS, another port, or a host that is not public.',
} as const

export type AttemptError = keyof typeof REASONS | `address_refused: ${AddressKind}`

/** Every value of an attempt's `error`, with its meaning for merchants. */
export const ATTEMPT_ERRORS: ReadonlyMap<AttemptError, string> = new Map<AttemptError, string>([
  ...Object.entries(REASONS).map(([error, meaning]) => [error as keyof typeof REASONS, meaning] as const),
  ...Object.entries(ADDRESS_KINDS).map(
    ([kind, meaning]) => [`address_refused: ${kind as AddressKind}`, `The name leads to ${meaning}.`] as const,
  ),
])
