import type { Fixture } from './fixture.ts'

/** A minimal browser: sends forms, and keeps cookies by path. */
export interface Shopper {
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>
  /** Opens the page and reads the hidden fields of its forms. */
  open(path: string): Promise<OpenPage>
  readonly cookies: ReadonlyMap<string, Cookie>
}

export interface Cookie {
  readonly value: string
  readonly path: string
  /** The complete `set-cookie` header. */
  readonly header: string
}

export interface OpenPage {
  readonly status: number
  readonly html: string
  readonly csrf: string
  readonly attemptId: string
}

export const CARD = { card_number: '4111 1111 1111 1111', card_expiry: '12/34', card_cvv: '737', card_name: 'Asha Rao' }
export const OTHER_CARD = { card_number: '5555 5555 5555 4444', card_expiry: '11/33', card_cvv: '838', card_name: 'Asha Rao' }
export const BANK = { bank: 'SBIN' }

/** The form fields of a card or bank payment. */
export function payFields({ csrf, attemptId }: OpenPage, details: Record<string, string> = CARD): Record<string, string> {
  const method = 'bank' in details ? 'netbanking' : 'card'
  return { csrf, attempt_id: attemptId, method, ...details }
}

export function newShopper(fixture: Pick<Fixture, 'url'>): Shopper {
  const cookies = new Map<string, Cookie>()
  const keep = (response: Response): Response => {
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(header) ?? []
      const path = /; Path=([^;]+)/u.exec(header)?.[1] ?? '/'
      const expires = /; Expires=([^;]+)/u.exec(header)?.[1]
      if (expires !== undefined && new Date(expires) <= new Date()) cookies.delete(name)
      else cookies.set(name, { value, path, header })
    }
    return response
  }
  const cookieFor = (path: string): string =>
    [...cookies]
      .filter(([, cookie]) => path === cookie.path || path.startsWith(`${cookie.path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  interface Sent {
    readonly method?: string
    readonly body?: URLSearchParams
    readonly headers: Record<string, string>
  }
  const send = async (path: string, init: Sent): Promise<Response> =>
    keep(await fetch(fixture.url + path, { ...init, redirect: 'manual', headers: { cookie: cookieFor(path), ...init.headers } }))

  const get: Shopper['get'] = (path, headers = {}) => send(path, { headers })
  return {
    get,
    post: (path, fields, headers = {}) =>
      send(path, { method: 'POST', body: new URLSearchParams(fields), headers: { 'sec-fetch-site': 'same-origin', ...headers } }),
    async open(path) {
      const response = await get(path)
      const html = await response.text()
      const field = (name: string): string => new RegExp(`name="${name}"\\s+value="([^"]+)"`, 'u').exec(html)?.[1] ?? ''
      return { status: response.status, html, csrf: field('csrf'), attemptId: field('attempt_id') }
    },
    cookies,
  }
}
