/** How many sessions may be open at once, at one replica. */
export interface SessionLimits {
  readonly perCredential: number
  readonly perMerchant: number
  readonly perReplica: number
}

interface Session {
  readonly merchantId: string
  readonly credentialId: string
}

/** Counts open sessions. Returns the function that closes one, or `undefined` when too many are open. */
export function createSessionLimit({ perCredential, perMerchant, perReplica }: SessionLimits) {
  const open = new Set<Session>()
  const count = (matches: (session: Session) => boolean) => [...open].filter(matches).length
  return {
    get open() {
      return open.size
    },
    tryOpen({ merchantId, credentialId }: Session): (() => void) | undefined {
      if (open.size >= perReplica) return undefined
      if (count((session) => session.merchantId === merchantId) >= perMerchant) return undefined
      if (count((session) => session.credentialId === credentialId) >= perCredential) return undefined
      const session = { merchantId, credentialId }
      open.add(session)
      return () => void open.delete(session)
    },
  }
}
