import { GatewayError } from '../errors.ts'

/**
 * The origin and path of the gateway, without a slash at the end. No error shows the whole address: it may hold a password.
 *
 * @param allowHttp whether http may be used to another machine, which sends tokens without encryption
 */
export function readBaseUrl(text: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new GatewayError('baseUrl must be an https address, such as https://sandbox.gateway.example')
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new GatewayError('baseUrl must be an origin and a path only')
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname))
    throw new GatewayError(
      `baseUrl must begin with https: http sends your tokens to ${url.hostname} unencrypted. http is for this machine only`,
    )
  return url.href.replace(/\/+$/u, '')
}

/** Whether a host, as `URL` writes it, is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname)
}
