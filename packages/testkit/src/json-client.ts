/** A small JSON client over fetch: status, headers and the parsed body of any answer. */
export interface JsonAnswer<T> {
  readonly status: number
  readonly headers: Headers
  /** The parsed body, typed as the test expects it; the test has to assert its shape. */
  readonly body: T
}

export type JsonClient = ReturnType<typeof jsonClient>

/** Sends `body` as JSON, or as it is when it is text or bytes. */
export function jsonClient(baseUrl: string, defaults: Record<string, string> = {}) {
  return async <T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<JsonAnswer<T>> => {
    const raw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...defaults, ...headers },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parseJson(text) as T }
  }
}

/** A client of an API for operators, which `stack.json` describes. */
export function operatorClient({ url, token }: { readonly url: string; readonly token: string }): JsonClient {
  return jsonClient(url, { authorization: `Bearer ${token}` })
}

/** The parsed JSON, or the text itself when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
