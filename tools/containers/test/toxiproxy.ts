/** Toxiproxy's HTTP API: https://github.com/Shopify/toxiproxy#http-api */

export interface Toxic {
  readonly type: 'latency' | 'reset_peer' | 'timeout'
  /** Milliseconds. */
  readonly attributes: Readonly<Record<string, number>>
}

export interface Proxies {
  create(proxy: { name: string; listen: string; upstream: string }): Promise<void>
  /** In both directions of one proxy. */
  poison(proxy: string, toxic: Toxic): Promise<void>
  cure(proxy: string): Promise<void>
  /** A disabled one drops its connections and refuses new ones. */
  enable(proxy: string, enabled: boolean): Promise<void>
}

const STREAMS = ['upstream', 'downstream'] as const

export function proxiesAt(url: string): Proxies {
  const call = async (method: 'POST' | 'DELETE', path: string, body?: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url + path, { method, ...(body && { headers, body: JSON.stringify(body) }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  }
  return {
    create: async (proxy) => call('POST', '/proxies', { ...proxy, enabled: true }),
    async poison(proxy, toxic) {
      for (const stream of STREAMS) await call('POST', `/proxies/${proxy}/toxics`, { ...toxic, name: stream, stream })
    },
    async cure(proxy) {
      for (const stream of STREAMS) await call('DELETE', `/proxies/${proxy}/toxics/${stream}`)
    },
    enable: async (proxy, enabled) => call('POST', `/proxies/${proxy}`, { enabled }),
  }
}
