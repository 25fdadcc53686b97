/** One operation of the public API. */
export interface Operation {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** Sending the request twice has the effect of once, so it may be retried after an unclear failure. */
  readonly repeatable: boolean
  /** Added to `timeoutMs` and `deadlineMs`, because the gateway itself waits for another party. */
  readonly extraTimeoutMs?: number
}
